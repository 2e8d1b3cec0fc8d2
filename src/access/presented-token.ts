import type { AppContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import type { RecognisedToken } from './token.ts';

/** Which headers an operation takes its credential from. */
export type TokenHeaders = 'all' | 'authorization_only';

/**
 * The credential that a call presents. Where several are sent, `Authorization` decides, then `X-Service-Token`, then
 * `X-Api-Key`.
 *
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme, and for what is not one of our tokens
 */
export async function presentedToken(
  c: AppContext,
  memory: IsolateMemory,
  headers: TokenHeaders,
): Promise<RecognisedToken> {
  if (headers === 'all' && sentHeader(c, 'Authorization') === null) {
    const serviceToken = sentHeader(c, 'X-Service-Token');
    if (serviceToken !== null) {
      return recognised(c, memory, serviceToken, 'access_token');
    }
    const apiKey = sentHeader(c, 'X-Api-Key');
    if (apiKey !== null) {
      return recognised(c, memory, apiKey, 'api_key');
    }
  }
  return recognised(c, memory, bearerToken(c), 'access_token');
}

/**
 * What stands behind `Bearer` in the header `Authorization`.
 *
 * @throws Refusal `TOKEN_MISSING` without the header, and for `Bearer` with nothing behind it; `TOKEN_INVALID` for
 *   another scheme
 */
export function bearerToken(c: AppContext): string {
  const [scheme, ...rest] = sentHeader(c, 'Authorization')?.split(/\s+/) ?? [];
  if (scheme !== undefined && scheme.toLowerCase() !== 'bearer') {
    throw new Refusal('TOKEN_INVALID');
  }
  if (rest.length === 0) {
    throw new Refusal('TOKEN_MISSING');
  }
  return rest.join(' ');
}

/** A header with nothing in it is none. */
function sentHeader(c: AppContext, name: string): string | null {
  return c.req.header(name)?.trim() || null;
}

async function recognised(
  c: AppContext,
  memory: IsolateMemory,
  sent: string,
  kind: RecognisedToken['kind'],
): Promise<RecognisedToken> {
  const token = await memory.recognise(sent, kind, c.env.TOKEN_KEY);
  if (token === null) {
    throw new Refusal('TOKEN_INVALID');
  }
  return token;
}
