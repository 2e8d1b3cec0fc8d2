import { constantTimeEqual, sha256Hex } from '../../base/crypto/digest.ts';
import { isStrongSecret } from '../../base/crypto/secret-strength.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { IsolateMemory } from './isolate-memory.ts';
import { bearerToken, bearerTokenIn } from './presented-token.ts';
import type { RecognisedToken } from './token.ts';

/**
 * Who calls an operation of the administration, by `Authorization: Bearer` alone: the administrator, with the secret
 * `ADMIN_TOKEN`, or a credential, whose object decides what it may call. While the secret is unset or too
 * short, only a credential finds the administration's paths.
 *
 * @returns the credential's token. Null: the administrator
 * @throws Refusal `TOKEN_MISSING`; `TOKEN_INVALID` for another scheme or token; `NOT_FOUND` in place of both without the secret
 */
export async function tokenOfAdministration(
  env: Env,
  headers: Headers,
  memory: IsolateMemory,
): Promise<RecognisedToken | null> {
  const secret = adminSecret(env);
  const recognised = await credentialToken(env, headers, memory);
  if (recognised !== null) {
    return recognised;
  }
  if (secret === null) {
    refuse('NOT_FOUND');
  }
  // Digests all have the same length, so that the time taken reveals nothing about the secret, not even its length.
  if (!constantTimeEqual(await sha256Hex(bearerToken(headers)), await sha256Hex(secret))) {
    refuse('TOKEN_INVALID');
  }
  return null;
}

/** Whether the administration's paths are known to a caller. */
export const knowsAdministration = async (
  env: Env,
  headers: Headers,
  memory: IsolateMemory,
): Promise<boolean> => adminSecret(env) !== null || (await credentialToken(env, headers, memory)) !== null;

/** The credential's token behind `Bearer`, recognised by its checksum. Null for any other, and for none. */
async function credentialToken(
  { TOKEN_KEY }: Env,
  headers: Headers,
  memory: IsolateMemory,
): Promise<RecognisedToken | null> {
  const sent = bearerTokenIn(headers);
  return sent === null ? null : memory.recognise(sent, 'access_token', TOKEN_KEY);
}

function adminSecret(env: Env): string | null {
  const secret = (env.ADMIN_TOKEN ?? '').trim();
  return isStrongSecret(secret) ? secret : null;
}
