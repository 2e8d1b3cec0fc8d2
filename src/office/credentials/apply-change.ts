import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { changeInObject, installInObject, readFromObject } from '../../serving/access/credential-objects.ts';
import {
  officeScopeIn,
  ofVersion,
  type StoredCredential,
  versionOf,
} from '../../serving/access/credential-record.ts';
import { isCredentialId } from '../../serving/access/token.ts';
import { readCredential } from './managed-credentials-table.ts';

/** Two administrators who change one credential at once are rare; a few tries are enough. */
const MAX_TRIES = 5;

/**
 * Changes a credential in its object. When this returns, the change applies to every call that starts from
 * then on, wherever it arrives. The row in the database is written afterwards.
 *
 * @param change returns the changed credential; called again if another call has changed the credential in
 * the meantime
 * @param lastHeld what the object held a moment ago, if that is known: then it is not read first
 * @throws Refusal `NOT_FOUND`, also for a credential beyond the bounds; `SCOPE_NOT_ALLOWED` for an office's, which only the
 *   administrator changes; and whatever `change` throws
 * @throws Error when the object has not confirmed the change
 */
export async function applyChange(
  env: Env,
  bounds: Bounds,
  credentialId: string,
  change: (held: StoredCredential) => StoredCredential | Promise<StoredCredential>,
  lastHeld: StoredCredential | null = null,
): Promise<StoredCredential> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const held = (tried === 0 && lastHeld) || (await readHeldCredential(env, bounds, credentialId));
    const { scopes } = held.record.credential;
    if (officeScopeIn(scopes) !== undefined && !bounds.mayChange('administrator')) {
      refuse('SCOPE_NOT_ALLOWED');
    }
    const changed = await change(held);
    if (changed === held) {
      return held;
    }
    const next = ofVersion(changed, versionOf(held) + 1);
    if (await changeInObject(env, versionOf(held), next)) {
      return next;
    }
  }
  throw new Error('the credential was changed by others at every try');
}

/**
 * Reads the record of a credential's object. An object without a credential takes it from the database first. A credential
 * beyond the bounds is not found, after the same round trips as one that does not exist.
 */
async function readHeldCredential(
  env: Env,
  { covers }: Bounds,
  credentialId: string,
): Promise<StoredCredential> {
  const isCovered = ({ record }: StoredCredential) => covers(record.credential.tenantCode);
  if (!isCredentialId(credentialId)) {
    refuse('NOT_FOUND', { message: NO_CREDENTIAL });
  }
  const held = await readFromObject(env, credentialId);
  if (held !== null && isCovered(held)) {
    return held;
  }
  const stored = await readCredential(env.DB, credentialId);
  if (stored === null || held !== null || !isCovered(stored)) {
    refuse('NOT_FOUND', { message: NO_CREDENTIAL });
  }
  await installInObject(env, stored.record, stored.location);
  return (await readFromObject(env, credentialId)) ?? stored;
}

const NO_CREDENTIAL = {
  en: 'There is no credential with this id.',
  it: 'Non esiste una credenziale con questo identificativo.',
};
