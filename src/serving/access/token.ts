import { hmac, randomHex, sha256Hex } from '../../base/crypto/digest.ts';
import { isStrongSecret, MIN_SECRET_CHARACTERS } from '../../base/crypto/secret-strength.ts';

/** An access token goes in `Authorization` or `X-Service-Token`, an API key in `X-Api-Key`. */
export type TokenKind = 'access_token' | 'api_key';

/** A token with our checksum. Whether it is still valid is decided by the credential's object. */
export interface RecognisedToken {
  readonly kind: TokenKind;
  readonly credentialId: string;
  /** SHA-256 of the whole token, hexadecimal. */
  readonly hash: string;
}

export interface IssuedPair {
  readonly accessToken: string;
  readonly apiKey: string;
  readonly accessTokenHash: string;
  readonly apiKeyHash: string;
}

const PREFIX: Record<TokenKind, string> = { access_token: 'pev_at', api_key: 'pev_ak' };

const ID_BYTES = 12;
const SECRET_BYTES = 32;
const CHECKSUM_BYTES = 16;

/**
 * `pev_at_<credential id>_<secret>_<checksum>`, all hexadecimal. The checksum is keyed, so that a mistyped or
 * made-up token is recognised without reading anything.
 */
const FORM = /^(pev_at|pev_ak)_([0-9a-f]{24})_[0-9a-f]{64}_([0-9a-f]{32})$/;

export const newCredentialId = (): string => randomHex(ID_BYTES);

/** Whether a text has the form of a credential's id. An object is only ever named by such an id. */
export const isCredentialId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/**
 * Makes a new access token and API key for a credential.
 *
 * @param keys the secret `TOKEN_KEY`: the first of its keys signs
 * @throws Error when the first key is missing or too short to sign tokens
 */
export async function issuePair(credentialId: string, keys: string | undefined): Promise<IssuedPair> {
  const signingKey = signingKeyOf(keys);
  const [accessToken, apiKey] = await Promise.all([
    issueToken('access_token', credentialId, signingKey),
    issueToken('api_key', credentialId, signingKey),
  ]);
  const [accessTokenHash, apiKeyHash] = await Promise.all([sha256Hex(accessToken), sha256Hex(apiKey)]);
  return { accessToken, apiKey, accessTokenHash, apiKeyHash };
}

async function issueToken(kind: TokenKind, credentialId: string, signingKey: string): Promise<string> {
  const signed = `${PREFIX[kind]}_${credentialId}_${randomHex(SECRET_BYTES)}`;
  return `${signed}_${(await checksum(signed, signingKey)).toHex()}`;
}

/**
 * Recognises a token by its form and checksum, without any storage.
 *
 * @param keys the secret `TOKEN_KEY`: each of its usable keys verifies
 * @returns null for a malformed, mistyped or made-up token, and for one of another kind
 * @throws Error when no key is usable and the token has the right form: it may be valid
 */
export async function recogniseToken(
  token: string,
  kind: TokenKind,
  keys: string | undefined,
): Promise<RecognisedToken | null> {
  const [, prefix, credentialId, sent] = FORM.exec(token) ?? [];
  if (prefix !== PREFIX[kind] || credentialId === undefined || sent === undefined) {
    return null;
  }
  const signed = token.slice(0, -(sent.length + 1));
  const bytes = Uint8Array.fromHex(sent);
  for (const key of keyList(keys)) {
    if (crypto.subtle.timingSafeEqual(await checksum(signed, key), bytes)) {
      return { kind, credentialId, hash: await sha256Hex(token) };
    }
  }
  return null;
}

/** @throws Error when no key is usable: without one, valid tokens look like invalid ones */
function keyList(keys: string | undefined): [string, ...string[]] {
  const [first, ...others] = keysIn(keys).filter(isStrongSecret);
  if (first === undefined) {
    throw new Error(`the secret TOKEN_KEY has no key of at least ${MIN_SECRET_CHARACTERS} characters`);
  }
  return [first, ...others];
}

const keysIn = (keys: string | undefined): string[] =>
  (keys ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');

/**
 * The key that signs: the first of the secret `TOKEN_KEY`.
 *
 * @throws Error when it is missing or too short
 */
export function signingKeyOf(keys: string | undefined): string {
  const [first] = keysIn(keys);
  if (first === undefined || !isStrongSecret(first)) {
    throw new Error(
      `the first key of the secret TOKEN_KEY has fewer than ${MIN_SECRET_CHARACTERS} characters: it signs no token`,
    );
  }
  return first;
}

const checksum = async (signed: string, key: string): Promise<Uint8Array> =>
  new Uint8Array(await hmac(key, signed), 0, CHECKSUM_BYTES);
