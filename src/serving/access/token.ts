import { constantTimeEqual, macHex, randomHex, sha256Hex } from '../../base/crypto/digest.ts';
import { isStrongSecret, keysIn, MIN_SECRET_CHARACTERS } from '../../base/crypto/secrets.ts';
import type { HashedPair } from './credential-record.ts';

/** An access token goes in `Authorization` or `X-Service-Token`, an API key in `X-Api-Key`. */
export type TokenKind = 'access_token' | 'api_key';

export interface IssuedPair extends HashedPair {
  readonly accessToken: string;
  readonly apiKey: string;
}

/** A token with our checksum. Whether it is still valid is decided by the credential's object. */
export interface RecognisedToken {
  readonly kind: TokenKind;
  readonly credentialId: string;
  /** SHA-256 of the whole token, hexadecimal. */
  readonly hash: string;
}

const PREFIX: Record<TokenKind, string> = { access_token: 'pev_at', api_key: 'pev_ak' };

const ID_BYTES = 12;
const SECRET_BYTES = 32;
/** Hexadecimal digits of the checksum. */
const CHECKSUM_LENGTH = 32;

/**
 * `pev_at_<credential id>_<secret>_<checksum>`, all hexadecimal. The checksum is keyed, so that a mistyped or
 * made-up token is recognised without reading anything.
 */
const FORM = /^((pev_at|pev_ak)_([0-9a-f]{24})_[0-9a-f]{64})_([0-9a-f]{32})$/;

export const newCredentialId = (): string => randomHex(ID_BYTES);

/** Whether a text has the form of a credential's id. An object is only ever named by such an id. */
export const isCredentialId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/**
 * Makes a new access token and API key for a credential, with their hashes.
 *
 * @param keys the secret `TOKEN_KEY`: the first of its keys signs
 * @throws Error when the first key is missing or too short to sign tokens
 */
export function issuePair(credentialId: string, keys: string | undefined): IssuedPair {
  const signingKey = signingKeyOf(keys);
  const accessToken = issueToken('access_token', credentialId, signingKey);
  const apiKey = issueToken('api_key', credentialId, signingKey);
  return { accessToken, apiKey, accessTokenHash: sha256Hex(accessToken), apiKeyHash: sha256Hex(apiKey) };
}

function issueToken(kind: TokenKind, credentialId: string, signingKey: string): string {
  const signed = `${PREFIX[kind]}_${credentialId}_${randomHex(SECRET_BYTES)}`;
  return `${signed}_${checksum(signed, signingKey)}`;
}

/**
 * Recognises a token by its form and checksum, without any storage.
 *
 * @param keys the secret `TOKEN_KEY`: each of its usable keys verifies
 * @returns null for a malformed, mistyped or made-up token, and for one of another kind
 * @throws Error when no key is usable and the token has the right form: it may be valid
 */
export function recogniseToken(
  token: string,
  kind: TokenKind,
  keys: string | undefined,
): RecognisedToken | null {
  const [, signed = '', prefix, credentialId = '', sent = ''] = FORM.exec(token) ?? [];
  if (prefix !== PREFIX[kind]) return null;
  const usable = keysIn(keys).filter(isStrongSecret);
  if (usable.length === 0) {
    throw new Error(`the secret TOKEN_KEY has no key of at least ${MIN_SECRET_CHARACTERS} characters`);
  }
  const isOurs = usable.some((key) => constantTimeEqual(checksum(signed, key), sent));
  return isOurs ? { kind, credentialId, hash: sha256Hex(token) } : null;
}

/**
 * The key that signs: the first of the secret `TOKEN_KEY`.
 *
 * @throws Error when it is missing or too short
 */
export function signingKeyOf(keys: string | undefined): string {
  const [first = ''] = keysIn(keys);
  if (isStrongSecret(first)) return first;
  throw new Error(
    `the first key of the secret TOKEN_KEY has fewer than ${MIN_SECRET_CHARACTERS} characters: it signs no token`,
  );
}

const checksum = (signed: string, key: string): string => macHex(key, signed).slice(0, CHECKSUM_LENGTH);
