import type { AppContext } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';
import { type RecognisedToken, recogniseToken } from './token.ts';

/** Which headers an operation takes its credential from. */
export type TokenHeaders = 'all' | 'authorization_only';

/**
 * The credential that a call presents. Where several are sent, `Authorization` decides, then `X-Service-Token`, then
 * `X-Api-Key`.
 *
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme, and for what is not one of our tokens
 */
export async function presentedToken(c: AppContext, headers: TokenHeaders): Promise<RecognisedToken> {
  const authorization = c.req.header('Authorization');
  if (authorization !== undefined) {
    return recognised(c, bearerToken(authorization), 'access_token');
  }
  if (headers === 'all') {
    const serviceToken = c.req.header('X-Service-Token');
    if (serviceToken !== undefined) {
      return recognised(c, serviceToken, 'access_token');
    }
    const apiKey = c.req.header('X-Api-Key');
    if (apiKey !== undefined) {
      return recognised(c, apiKey, 'api_key');
    }
  }
  throw new Refusal('TOKEN_MISSING');
}

/**
 * What stands behind `Bearer` in the header `Authorization`.
 *
 * @throws Refusal `TOKEN_INVALID` for another scheme, `TOKEN_MISSING` for `Bearer` with nothing behind it
 */
export function bearerToken(authorization: string): string {
  const [, token] = /^bearer(?:\s+(.*))?$/i.exec(authorization.trim()) ?? [null, null];
  if (token === null) {
    throw new Refusal('TOKEN_INVALID');
  }
  return token ?? '';
}

async function recognised(
  c: AppContext,
  sent: string,
  kind: RecognisedToken['kind'],
): Promise<RecognisedToken> {
  const token = sent.trim();
  if (token === '') {
    throw new Refusal('TOKEN_MISSING');
  }
  const known = await recogniseToken(token, kind, c.env.TOKEN_KEY);
  if (known === null) {
    throw new Refusal('TOKEN_INVALID');
  }
  return known;
}
