import type { Env } from '../env.ts';
import { Refusal } from '../errors/refusal.ts';
import { constantTimeEqual, sha256Hex } from './digest.ts';
import { bearerToken } from './presented-token.ts';
import { isStrongSecret } from './secret-strength.ts';

/**
 * Lets the administrator alone pass: `Authorization: Bearer` with the secret `ADMIN_TOKEN`. No other header and no
 * credential's token will do.
 *
 * @throws Refusal `NOT_FOUND` while the secret is unset or too short; `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme or token
 */
export async function requireAdministrator(env: Env, headers: Headers): Promise<void> {
  const secret = adminSecret(env);
  const token = bearerToken(headers);
  // Digests have one length, so that the time taken tells nothing of the secret, not even how long it is.
  if (!constantTimeEqual(await sha256Hex(token), await sha256Hex(secret))) {
    throw new Refusal('TOKEN_INVALID');
  }
}

/**
 * The secret `ADMIN_TOKEN`.
 *
 * @throws Refusal `NOT_FOUND` while it is unset, or too short to be relied on: then there is no administration, on any path and method of it
 */
export function adminSecret(env: Env): string {
  const secret = (env.ADMIN_TOKEN ?? '').trim();
  if (!isStrongSecret(secret)) {
    throw new Refusal('NOT_FOUND');
  }
  return secret;
}
