import { constantTimeEqual, sha256Hex } from '../access/digest.ts';
import { bearerToken } from '../access/presented-token.ts';
import { isStrongSecret } from '../access/secret-strength.ts';
import type { AppContext, AppMiddleware } from '../http/context.ts';
import { Refusal } from '../http/refusal.ts';

/**
 * Stands before everything under the administration's path: where the secret `ADMIN_TOKEN` is unset, or too
 * short to be relied on, there is no administration, and every path and method of it answers `NOT_FOUND`.
 */
export const administrationExists: AppMiddleware = async (c, next) => {
  secretOf(c);
  await next();
};

/**
 * Lets the administrator alone pass: `Authorization: Bearer` with the secret `ADMIN_TOKEN`. No other header and no
 * credential's token will do.
 *
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme or token; `NOT_FOUND` while the secret is unset
 *   or too short
 */
export const administrator: AppMiddleware = async (c, next) => {
  const secret = secretOf(c);
  const token = bearerToken(c);
  // Digests have one length, so that the time taken tells nothing of the secret, not even how long it is.
  if (!constantTimeEqual(await sha256Hex(token), await sha256Hex(secret))) {
    throw new Refusal('TOKEN_INVALID');
  }
  await next();
};

function secretOf(c: AppContext): string {
  const secret = (c.env.ADMIN_TOKEN ?? '').trim();
  if (!isStrongSecret(secret)) {
    throw new Refusal('NOT_FOUND');
  }
  return secret;
}
