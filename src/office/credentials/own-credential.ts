import { refuse } from '../../base/errors/refusal.ts';
import { OBJECT_TIMEOUT_MS, readFromObject } from '../../serving/access/credential-objects.ts';
import { type StoredCredential, withDetails } from '../../serving/access/credential-record.ts';
import type { GrantedCallContext } from '../../serving/pipeline/reading.ts';
import { readOwner } from './managed-credentials-table.ts';

/**
 * Returns the credential of an admitted call from its object.
 *
 * @throws Refusal `TENANT_DISABLED`
 */
export async function readOwnCredential({
  env,
  grant,
  deadline,
}: GrantedCallContext): Promise<StoredCredential> {
  const [stored, owner] = await Promise.all([
    deadline.race(readFromObject(env, grant.credentialId), OBJECT_TIMEOUT_MS),
    deadline.race(readOwner(env.DB, grant)),
  ]);
  if (stored === null || owner === null) {
    throw new Error('an admitted credential is gone, or its tenant');
  }
  if (!owner.isActive) {
    refuse('TENANT_DISABLED');
  }
  return withDetails(stored, owner.details);
}
