import { constantTimeEqual, hmacHex, randomHex, sha256Hex } from './digest.ts';

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

/** Anything that looks like one of our tokens, whole or clipped: to be masked wherever something is written down. */
const LOOKS_LIKE_A_TOKEN = /pev_(?:at|ak)_[0-9A-Za-z_]*/gi;

export const newCredentialId = (): string => randomHex(ID_BYTES);

/** Whether a text has the form of a credential's id. Nothing else names an object. */
export const isCredentialId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/**
 * Makes a new access token and API key for a credential.
 *
 * @param keys the secret `TOKEN_KEY`: the first of its keys signs
 */
export async function issuePair(credentialId: string, keys: string): Promise<IssuedPair> {
  const [accessToken, apiKey] = await Promise.all([
    issueToken('access_token', credentialId, keys),
    issueToken('api_key', credentialId, keys),
  ]);
  const [accessTokenHash, apiKeyHash] = await Promise.all([sha256Hex(accessToken), sha256Hex(apiKey)]);
  return { accessToken, apiKey, accessTokenHash, apiKeyHash };
}

async function issueToken(kind: TokenKind, credentialId: string, keys: string): Promise<string> {
  const signed = `${PREFIX[kind]}_${credentialId}_${randomHex(SECRET_BYTES)}`;
  const [signingKey] = keyList(keys);
  if (signingKey === undefined) {
    throw new Error('the secret TOKEN_KEY is not set');
  }
  return `${signed}_${await checksum(signed, signingKey)}`;
}

/**
 * Recognises a token by its form and checksum, without any storage.
 *
 * @param keys the secret `TOKEN_KEY`: any of its keys verifies
 * @returns null for a malformed, mistyped or made-up one, and for one of another kind
 */
export async function recogniseToken(
  token: string,
  kind: TokenKind,
  keys: string,
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

/** The text with everything that looks like one of our tokens masked. */
export function maskTokens(text: string): string {
  return text.replace(LOOKS_LIKE_A_TOKEN, 'pev_***');
}

/** Whether a text holds anything that {@link maskTokens} would mask. */
export function holdsToken(text: string): boolean {
  return text.search(LOOKS_LIKE_A_TOKEN) !== -1;
}

function keyList(keys: string): string[] {
  return keys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

async function checksum(signed: string, key: string): Promise<string> {
  return (await hmacHex(key, signed)).slice(0, CHECKSUM_DIGITS);
}
