import { constantTimeEqual, sha256Hex } from '../../base/crypto/digest.ts';
import { isStrongSecret } from '../../base/crypto/secrets.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { CredentialAccess } from '../contract.ts';
import { type RecognisedToken, recogniseToken } from './token.ts';

/**
 * The token that a call presents. If several are sent, `Authorization` goes first, then `X-Service-Token`, then
 * `X-Api-Key`. An `Authorization` of another scheme, such as a proxy's `Basic`, counts only where no other header is sent.
 *
 * @param keys the secret `TOKEN_KEY`
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme, and for anything that is not one of our tokens
 */
export function presentedToken(
  headers: Headers,
  taken: CredentialAccess['tokenHeaders'],
  keys: string | undefined,
): RecognisedToken {
  const { sent, kind } = sentToken(headers, taken);
  return recogniseToken(sent, kind, keys) ?? refuse('TOKEN_INVALID');
}

function sentToken(
  headers: Headers,
  taken: CredentialAccess['tokenHeaders'],
): { sent: string; kind: RecognisedToken['kind'] } {
  const authorization = sentHeader(headers, 'Authorization');
  if (taken === 'all' && !isBearer(authorization)) {
    const serviceToken = sentHeader(headers, 'X-Service-Token');
    if (serviceToken !== null) return { sent: serviceToken, kind: 'access_token' };
    const apiKey = sentHeader(headers, 'X-Api-Key');
    if (apiKey !== null) return { sent: apiKey, kind: 'api_key' };
  }
  return { sent: bearerToken(authorization), kind: 'access_token' };
}

/**
 * Who calls an operation of the administration, by `Authorization: Bearer` alone: the administrator, with the secret
 * `ADMIN_TOKEN`, or a credential, whose object decides what it may call. While the secret is unset or too short, nothing
 * passes for the administrator.
 *
 * @returns the credential's token. Null: the administrator
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme or token
 */
export function tokenOfAdministration(
  { ADMIN_TOKEN = '', TOKEN_KEY }: Env,
  headers: Headers,
): RecognisedToken | null {
  const sent = bearerToken(sentHeader(headers, 'Authorization'));
  const recognised = recogniseToken(sent, 'access_token', TOKEN_KEY);
  if (recognised !== null) return recognised;
  const secret = ADMIN_TOKEN.trim();
  // Digests all have the same length, so that the time taken reveals nothing about the secret, not even its length.
  const isAdministrator = isStrongSecret(secret) && constantTimeEqual(sha256Hex(sent), sha256Hex(secret));
  return isAdministrator ? null : refuse('TOKEN_INVALID');
}

/** @throws Refusal `TOKEN_MISSING` without the header, and for `Bearer` without a token; `TOKEN_INVALID` for another scheme */
function bearerToken(authorization: string | null): string {
  if (authorization !== null && !isBearer(authorization)) refuse('TOKEN_INVALID');
  const token = authorization?.split(/\s+/).slice(1).join(' ') ?? '';
  return token === '' ? refuse('TOKEN_MISSING') : token;
}

const isBearer = (authorization: string | null): boolean => /^bearer(?:\s|$)/i.test(authorization ?? '');

/** An empty header counts as not sent. */
const sentHeader = (headers: Headers, name: string): string | null => headers.get(name)?.trim() || null;
