import { constantTimeEqual, hmacHex, randomHex, sha256Hex } from './digest.ts';
import { isStrongSecret, LEAST_SECRET_CHARACTERS } from './secret-strength.ts';

/** An access token goes in `Authorization` or `X-Service-Token`, an API key in `X-Api-Key`. */
export type TokenKind = 'access_token' | 'api_key';

/** A token whose checksum is ours: whether it is still good is for the credential's object to say. */
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
const CHECKSUM_DIGITS = 32;

/**
 * `pev_at_<credential id>_<secret>_<checksum>`, all hexadecimal. The checksum is keyed, so that a mistyped or
 * made-up token is known for one without asking anybody.
 */
const FORM = /^(pev_at|pev_ak)_([0-9a-f]{24})_[0-9a-f]{64}_([0-9a-f]{32})$/;

export const newCredentialId = (): string => randomHex(ID_BYTES);

/** Whether a text has the form of a credential's id. Nothing else names an object. */
export const isCredentialId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/**
 * Makes a new access token and API key for a credential.
 *
 * @param keys the secret `TOKEN_KEY`: the first of its keys signs
 * @throws Error where the first key is missing or too short: no token may rest on it
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
  return `${signed}_${await checksum(signed, signingKey)}`;
}

/**
 * Recognises a token by its form and checksum, without any storage.
 *
 * @param keys the secret `TOKEN_KEY`: any of its keys verifies, a short one too
 * @returns null for a malformed, mistyped or made-up one, and for one of another kind
 * @throws Error where no key is set, and the token has the right form: it may be a good one
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
  const signed = token.slice(0, -(CHECKSUM_DIGITS + 1));
  for (const key of keyList(keys)) {
    if (constantTimeEqual(await checksum(signed, key), sent)) {
      return { kind, credentialId, hash: await sha256Hex(token) };
    }
  }
  return null;
}

/** @throws Error where no key is set: without one, good tokens cannot be told from bad ones */
function keyList(keys: string | undefined): [string, ...string[]] {
  const [first, ...others] = (keys ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (first === undefined) {
    throw new Error('the secret TOKEN_KEY is not set');
  }
  return [first, ...others];
}

function signingKeyOf(keys: string | undefined): string {
  const [first] = keyList(keys);
  if (!isStrongSecret(first)) {
    throw new Error(
      `the first key of the secret TOKEN_KEY has fewer than ${LEAST_SECRET_CHARACTERS} characters: it signs no token`,
    );
  }
  return first;
}

async function checksum(signed: string, key: string): Promise<string> {
  return (await hmacHex(key, signed)).slice(0, CHECKSUM_DIGITS);
}
