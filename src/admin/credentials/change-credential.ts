import { installInObject } from '../../access/credential-objects.ts';
import type { Env } from '../../env.ts';
import { Refusal } from '../../errors/refusal.ts';
import { readCredential, replaceCredential } from './credentials-table.ts';
import type { StoredCredential } from './stored-credential.ts';

/** Two administrators at once are rare, and more than a few are none. */
const MOST_TRIES = 5;

/**
 * Changes a credential in the database, then in its object: when this returns, the change holds for every call that
 * starts from then on, wherever it arrives. Where the object cannot be reached this fails, with the change in the
 * database alone; the same change once more has a newer version, and brings the object up to date.
 *
 * @param change makes the changed credential of the stored one; made again when somebody else was quicker
 * @throws Refusal `NOT_FOUND`, and whatever `change` refuses with
 */
export async function changeCredential(
  env: Env,
  credentialId: string,
  change: (stored: StoredCredential) => StoredCredential | Promise<StoredCredential>,
): Promise<StoredCredential> {
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const stored = await readCredential(env.DB, credentialId);
    if (stored === null) {
      throw new Refusal('NOT_FOUND', { message: NO_CREDENTIAL });
    }
    const next = ofVersion(await change(stored), versionOf(stored) + 1);
    if (await replaceCredential(env.DB, stored, next)) {
      return installed(env, next);
    }
  }
  throw new Error('the credential kept changing while it was to be changed');
}

/**
 * Brings a stored credential to its object. An object that holds as high a version already (the database was restored
 * from an earlier state, say) ignores it: then the row takes a version above that one. Where the row has moved on
 * meanwhile, somebody else's later change contains this one: it is brought to the object here too, since whoever made it
 * may not get there.
 */
async function installed(env: Env, stored: StoredCredential): Promise<StoredCredential> {
  const inItsWay = await installInObject(env, stored.record, stored.location);
  if (inItsWay === null) {
    return stored;
  }
  const above = ofVersion(stored, inItsWay + 1);
  if (await replaceCredential(env.DB, stored, above)) {
    return installed(env, above);
  }
  const later = await readCredential(env.DB, stored.record.credential.credentialId);
  if (later !== null) {
    await installed(env, later);
  }
  return stored;
}

const versionOf = ({ record }: StoredCredential): number => record.credential.version;

function ofVersion(stored: StoredCredential, version: number): StoredCredential {
  const credential = { ...stored.record.credential, version };
  return { ...stored, record: { ...stored.record, credential } };
}

const NO_CREDENTIAL = {
  en: 'There is no credential of this id.',
  it: 'Non esiste una credenziale con questo identificativo.',
};
