import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { askObject } from '../../serving/access/credential-objects.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import { officeScopeIn } from '../../serving/access/scopes.ts';
import { isCredentialId } from '../../serving/access/token.ts';
import { writeCredentialRow } from './credentials-table.ts';

/** Two administrators who change one credential at once are rare; a few tries are enough. */
const MAX_TRIES = 5;

/**
 * Changes a credential: in its object first, where it holds for every call that starts from then on, then in its row, from
 * which lists are made. The row is written even if nothing changes: after a restore it may differ from the object.
 *
 * @param change returns the changed credential, or the same; called again if another call has changed it meanwhile
 * @throws Refusal `NOT_FOUND`, also for a credential beyond the bounds; `SCOPE_NOT_ALLOWED` for an office's, which only the
 *   administrator changes; and whatever `change` throws
 * @throws Error when the object has not confirmed the change, or the row could not be written: the change may hold already
 */
export async function changeCredential(
  env: Env,
  bounds: Bounds,
  credentialId: string,
  change: (held: Credential) => Credential | Promise<Credential>,
): Promise<Credential> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const held = await readHeld(env, bounds, credentialId);
    const changed = await change(held);
    const next = changed === held ? held : { ...changed, version: held.version + 1 };
    if (next === held || (await storeInObject(env, next))) {
      await writeCredentialRow(env.DB, next);
      return next;
    }
  }
  throw new Error('the credential was changed by others at every try');
}

/** Stores a new credential: in its object first, then in its row. */
export async function addCredential(env: Env, added: Credential): Promise<void> {
  await storeInObject(env, added);
  await writeCredentialRow(env.DB, added);
}

const storeInObject = (env: Env, next: Credential): Promise<boolean> =>
  askObject(env, next.credentialId, async (object): Promise<boolean> => object.change(next), next.location);

/** The credential that its object holds. One beyond the bounds is not found, as one that does not exist. */
async function readHeld(env: Env, bounds: Bounds, credentialId: string): Promise<Credential> {
  const held = isCredentialId(credentialId)
    ? await askObject(env, credentialId, async (object): Promise<Credential | null> => object.read())
    : null;
  if (held === null || !bounds.covers(held.tenantCode)) refuse('NOT_FOUND', { message: NO_CREDENTIAL });
  if (officeScopeIn(held.scopes) !== undefined && !bounds.mayChangeAll) refuse('SCOPE_NOT_ALLOWED');
  return held;
}

/**
 * A revoked credential stays as it was when it was revoked.
 *
 * @throws Refusal `INVALID_REQUEST`
 */
export function requireNotRevoked({ revokedAt }: Credential): void {
  if (revokedAt !== null) refuseFields([{ path: 'credential_id', message: IS_REVOKED }]);
}

const NO_CREDENTIAL = {
  en: 'There is no credential with this id.',
  it: 'Non esiste una credenziale con questo identificativo.',
};
const IS_REVOKED = {
  en: 'the credential has been revoked for good: issue a new one',
  it: 'la credenziale è revocata definitivamente: emetterne una nuova',
};
