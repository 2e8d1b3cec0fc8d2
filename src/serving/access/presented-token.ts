import { constantTimeEqual, sha256Hex } from '../../base/crypto/digest.ts';
import { isStrongSecret } from '../../base/crypto/secret-strength.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import type { RecognisedToken } from './token.ts';

/** Which headers an operation reads its credential from. */
type TokenHeaders = 'all' | 'authorization_only';

/**
 * The token that a call presents. If several are sent, `Authorization` goes first, then `X-Service-Token`, then
 * `X-Api-Key`. An `Authorization` of another scheme, such as a proxy's `Basic`, counts only where no other header is sent.
 *
 * @param keys the secret `TOKEN_KEY`
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme, and for anything that is not one of our tokens
 */
export async function presentedToken(
  headers: Headers,
  taken: TokenHeaders,
  memory: IsolateMemory,
  keys: string | undefined,
): Promise<RecognisedToken> {
  const { sent, kind } = sentToken(headers, taken);
  const token = await memory.recognise(sent, kind, keys);
  if (token === null) {
    refuse('TOKEN_INVALID');
  }
  return token;
}

function sentToken(headers: Headers, taken: TokenHeaders): { sent: string; kind: RecognisedToken['kind'] } {
  const authorization = sentHeader(headers, 'Authorization');
  if (taken === 'all' && !isBearer(authorization)) {
    const serviceToken = sentHeader(headers, 'X-Service-Token');
    if (serviceToken !== null) {
      return { sent: serviceToken, kind: 'access_token' };
    }
    const apiKey = sentHeader(headers, 'X-Api-Key');
    if (apiKey !== null) {
      return { sent: apiKey, kind: 'api_key' };
    }
  }
  return { sent: tokenIn(authorization), kind: 'access_token' };
}

/**
 * The token after `Bearer` in the header `Authorization`.
 *
 * @throws Refusal `TOKEN_MISSING` without the header, and for `Bearer` without a token; `TOKEN_INVALID` for
 *   another scheme
 */
const bearerToken = (headers: Headers): string => tokenIn(sentHeader(headers, 'Authorization'));

function tokenIn(authorization: string | null): string {
  if (authorization !== null && !isBearer(authorization)) {
    refuse('TOKEN_INVALID');
  }
  const token = afterScheme(authorization);
  if (token === '') {
    refuse('TOKEN_MISSING');
  }
  return token;
}

const afterScheme = (authorization: string | null): string =>
  authorization?.split(/\s+/).slice(1).join(' ') ?? '';

const isBearer = (authorization: string | null): boolean => /^bearer(?:\s|$)/i.test(authorization ?? '');

/** An empty header counts as not sent. */
function sentHeader(headers: Headers, name: string): string | null {
  return headers.get(name)?.trim() || null;
}

/**
 * Who calls an operation of the administration, by `Authorization: Bearer` alone: the administrator, with the secret
 * `ADMIN_TOKEN`, or a credential, whose object decides what it may call.
 *
 * @returns the credential's token. Null: the administrator
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme or token, and for any while the secret is unset or too short
 */
export async function tokenOfAdministration(
  env: Env,
  headers: Headers,
  memory: IsolateMemory,
): Promise<RecognisedToken | null> {
  const sent = bearerToken(headers);
  const recognised = await memory.recognise(sent, 'access_token', env.TOKEN_KEY);
  if (recognised === null && !(await isAdminToken(sent, env))) {
    refuse('TOKEN_INVALID');
  }
  return recognised;
}

/** Compares digests, which all have the same length: the time taken reveals nothing about the secret, not even its length. */
async function isAdminToken(sent: string, { ADMIN_TOKEN = '' }: Env): Promise<boolean> {
  const secret = ADMIN_TOKEN.trim();
  return isStrongSecret(secret) && constantTimeEqual(await sha256Hex(sent), await sha256Hex(secret));
}
