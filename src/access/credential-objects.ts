import type { ObjectLocation } from '../db/schema/index.ts';
import type { Env } from '../env.ts';
import { type Deadline, within } from '../platform/deadline.ts';
import type { BudgetName } from './budget-names.ts';
import type { CredentialChange, CredentialObject } from './credential-object.ts';
import type { AdmissionCall, CredentialRecord } from './credential-record.ts';
import type { AdmissionAnswer } from './decide-admission.ts';
import { randomHex } from './digest.ts';
import type { StoredCredential } from './stored-credential.ts';

/** Past this an object counts as out of reach for a call that waits for it. */
export const REACHED_WITHIN_MS = 500;

/** Asks the credential's object to decide a call. Throws when it cannot be reached in time. */
export function askObject(
  env: Env,
  call: AdmissionCall,
  budget: BudgetName,
  deadline: Deadline,
): Promise<AdmissionAnswer> {
  return deadline.race(
    onObject(
      env,
      call.token.credentialId,
      async (object): Promise<AdmissionAnswer> => object.admit(call, budget),
    ),
    REACHED_WITHIN_MS,
  );
}

/**
 * Hands a credential to its object, which holds it from then on.
 *
 * @param location where the object is to live, if this is the first time that it is called
 * @returns null, or the version that the object holds in its stead and goes on with
 */
export function installInObject(
  env: Env,
  record: CredentialRecord,
  location: ObjectLocation | null = null,
): Promise<number | null> {
  return onObject(
    env,
    record.credential.credentialId,
    async (object): Promise<number | null> => object.install(record),
    location,
  );
}

/** What the credential's object holds. Null: it has no credential. */
export function readFromObject(env: Env, credentialId: string): Promise<StoredCredential | null> {
  return onObject(env, credentialId, async (object): Promise<StoredCredential | null> => object.read());
}

/** An answer to a change that has not come by then is asked for again. */
const CHANGED_WITHIN_MS = 2_000;
const MOST_CHANGE_TRIES = 3;
const CHANGE_ID_BYTES = 12;

/**
 * Hands a change to the credential's object. One whose answer was lost is sent again, and is known for the same.
 *
 * @param onVersion the version that the change was made on; null for a new credential
 * @returns false, and nothing has changed, where the credential is no longer of that version
 * @throws Error where the object has not said in time that it has taken the change
 */
export async function changeInObject(
  env: Env,
  onVersion: number | null,
  next: StoredCredential,
): Promise<boolean> {
  const change: CredentialChange = { changeId: randomHex(CHANGE_ID_BYTES), onVersion, next };
  const { credentialId } = next.record.credential;
  for (let tried = 1; ; tried++) {
    try {
      return await within(
        CHANGED_WITHIN_MS,
        stubOf(env, credentialId, next.location).change(change) as Promise<boolean>,
      );
    } catch (error) {
      if (tried === MOST_CHANGE_TRIES || isOverloaded(error)) {
        throw error;
      }
    }
  }
}

/** A row that is not written by then is left to the object's alarm. */
const ROW_WITHIN_MS = 2_000;

/**
 * Has the credential's object try to write its row. Where that fails, the object goes on trying by itself.
 *
 * @returns the credential as it then is
 * @throws Error where the object does not answer in time
 */
export function writeRowOfObject(env: Env, stored: StoredCredential): Promise<StoredCredential | null> {
  return within(
    ROW_WITHIN_MS,
    onObject(
      env,
      stored.record.credential.credentialId,
      async (object): Promise<StoredCredential | null> => object.writeRow(),
      stored.location,
    ),
  );
}

/**
 * Has the object mend its row.
 *
 * @returns whether there was anything to mend
 * @throws Error where the database did not take what was to be mended
 */
export async function mendRowOfObject(env: Env, row: StoredCredential): Promise<boolean> {
  const { credentialId } = row.record.credential;
  const outcome = await onObject(
    env,
    credentialId,
    async (object): Promise<'in_step' | 'mended' | 'failed'> => object.mendRow(row),
  );
  if (outcome === 'failed') {
    throw new Error(`the row of the credential ${credentialId} could not be mended`);
  }
  return outcome === 'mended';
}

/** An error that the runtime calls retryable is retried once, on a new stub; never when the object is overloaded. */
async function onObject<T>(
  env: Env,
  credentialId: string,
  action: (object: DurableObjectStub<CredentialObject>) => Promise<T>,
  location: ObjectLocation | null = null,
): Promise<T> {
  const stub = () => stubOf(env, credentialId, location);
  try {
    return await action(stub());
  } catch (error) {
    if (isRetryable(error)) {
      return action(stub());
    }
    throw error;
  }
}

/** @param location where the object is to live, if this is the first time that it is called */
function stubOf(
  env: Env,
  credentialId: string,
  location: ObjectLocation | null,
): DurableObjectStub<CredentialObject> {
  return objectsOf(env).getByName(credentialId, location === null ? {} : { locationHint: location });
}

/** Where a jurisdiction is set, the objects live and are found in it alone. */
function objectsOf({ CREDENTIALS, JURISDICTION }: Env): Env['CREDENTIALS'] {
  return JURISDICTION ? CREDENTIALS.jurisdiction(JURISDICTION) : CREDENTIALS;
}

function isRetryable(error: unknown): boolean {
  return (error as { retryable?: boolean }).retryable === true && !isOverloaded(error);
}

function isOverloaded(error: unknown): boolean {
  return (error as { overloaded?: boolean }).overloaded === true;
}
