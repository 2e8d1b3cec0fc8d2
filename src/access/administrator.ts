import type { Env } from '../env.ts';
import { refuse } from '../errors/refusal.ts';
import { constantTimeEqual, sha256Hex } from './digest.ts';
import { bearerToken } from './presented-token.ts';
import { isStrongSecret } from './secret-strength.ts';

/**
 * Admits only the administrator: `Authorization: Bearer` with the secret `ADMIN_TOKEN`. No other header and no
 * credential's token is accepted.
 *
 * @throws Refusal `NOT_FOUND` while the secret is unset or too short; `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme or token
 */
export async function requireAdministrator(env: Env, headers: Headers): Promise<void> {
  const secret = adminSecret(env);
  if (secret === null) {
    refuse('NOT_FOUND');
  }
  const token = bearerToken(headers);
  // Digests all have the same length, so that the time taken reveals nothing about the secret, not even its length.
  if (!constantTimeEqual(await sha256Hex(token), await sha256Hex(secret))) {
    refuse('TOKEN_INVALID');
  }
}

/**
 * Whether there is an administrator at all. While the secret is unset or too short, the administration's paths are unknown.
 */
export const hasAdministration = (env: Env): boolean => adminSecret(env) !== null;

function adminSecret(env: Env): string | null {
  const secret = (env.ADMIN_TOKEN ?? '').trim();
  return isStrongSecret(secret) ? secret : null;
}
