import {
  changeInObject,
  installInObject,
  readFromObject,
  writeRowOfObject,
} from '../../access/credential-objects.ts';
import { ofVersion, type StoredCredential, versionOf } from '../../access/stored-credential.ts';
import { isCredentialId } from '../../access/token.ts';
import type { Env } from '../../env.ts';
import { Refusal } from '../../errors/refusal.ts';
import { errorMessage } from '../../platform/error-message.ts';
import { logEvent } from '../../platform/log-event.ts';
import { readCredential } from './credentials-table.ts';

/** Two administrators at once are rare, and more than a few are none. */
const MOST_TRIES = 5;

/**
 * Changes what a credential's object holds: when this returns, the change holds for every call that starts from then on,
 * wherever it arrives. The row in the database is not touched yet: see {@link withRowTried}.
 *
 * @param known what the object has held a moment ago, if that is known: it is not asked again
 * @param change makes the changed credential of the one that the object holds; made again when somebody else was quicker
 * @throws Refusal `NOT_FOUND`, and whatever `change` refuses with
 * @throws Error when the object has not said that it has taken the change
 */
export async function changeCredential(
  env: Env,
  credentialId: string,
  change: (held: StoredCredential) => StoredCredential | Promise<StoredCredential>,
  known: StoredCredential | null = null,
): Promise<StoredCredential> {
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const held = (tried === 0 && known) || (await heldCredential(env, credentialId));
    const changed = await change(held);
    if (changed === held) {
      return held;
    }
    const next = ofVersion(changed, versionOf(held) + 1);
    if (await changeInObject(env, versionOf(held), next)) {
      return next;
    }
  }
  throw new Error('the credential kept changing while it was to be changed');
}

/**
 * Has the object write a changed credential's row. The change holds whether the database takes it or not: where it does
 * not, the object goes on trying by itself.
 *
 * @returns the credential as it now is
 */
export async function withRowTried(env: Env, changed: StoredCredential): Promise<StoredCredential> {
  try {
    return (await writeRowOfObject(env, changed)) ?? changed;
  } catch (error) {
    logEvent('warn', 'credential_row_behind', {
      credential_id: changed.record.credential.credentialId,
      message: errorMessage(error),
    });
    return changed;
  }
}

/** What the credential's object holds. One that holds nothing takes its credential from the database first. */
async function heldCredential(env: Env, credentialId: string): Promise<StoredCredential> {
  if (!isCredentialId(credentialId)) {
    throw notFound();
  }
  const held = await readFromObject(env, credentialId);
  if (held !== null) {
    return held;
  }
  const stored = await readCredential(env.DB, credentialId);
  if (stored === null) {
    throw notFound();
  }
  await installInObject(env, stored.record, stored.location);
  return (await readFromObject(env, credentialId)) ?? stored;
}

const notFound = (): Refusal => new Refusal('NOT_FOUND', { message: NO_CREDENTIAL });

const NO_CREDENTIAL = {
  en: 'There is no credential of this id.',
  it: 'Non esiste una credenziale con questo identificativo.',
};
