import { randomHex } from '../../base/crypto/digest.ts';
import { type Deadline, withTimeout } from '../../base/platform/deadline.ts';
import type { Env } from '../../env.ts';
import type { ObjectLocation } from '../../storage/db/schema/index.ts';
import type { CredentialChange, CredentialObject } from './credential-object.ts';
import type { AdmissionCall, BudgetName, CredentialRecord, StoredCredential } from './credential-record.ts';
import type { AdmissionAnswer } from './decide-admission.ts';

/** If an object takes longer, it counts as away for the call that is waiting for it. */
export const OBJECT_TIMEOUT_MS = 500;

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
    OBJECT_TIMEOUT_MS,
  );
}

/**
 * Gives a credential to its object, which holds it from then on.
 *
 * @param location the location hint of the object, which counts only on its first call
 * @returns null, or the version that the object holds and keeps instead
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

/** The credential that its object holds, or null. */
export function readFromObject(env: Env, credentialId: string): Promise<StoredCredential | null> {
  return onObject(env, credentialId, async (object): Promise<StoredCredential | null> => object.read());
}

/** If the answer takes longer, the change is sent again. */
const CHANGE_TIMEOUT_MS = 2_000;
const MAX_CHANGE_TRIES = 3;
const CHANGE_ID_BYTES = 12;

/**
 * Sends a change to the credential's object. If the answer is lost it is sent again, and the object applies it only once.
 *
 * @param onVersion the version that the change is based on; null for a new credential
 * @returns false if the credential has left that version: nothing has changed
 * @throws Error when the object has not confirmed the change in time
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
      return await withTimeout(
        CHANGE_TIMEOUT_MS,
        stubOf(env, credentialId, next.location).change(change) as Promise<boolean>,
      );
    } catch (error) {
      if (tried === MAX_CHANGE_TRIES || isOverloaded(error)) {
        throw error;
      }
    }
  }
}

const ROW_TIMEOUT_MS = 2_000;

/**
 * Makes the credential's object write its row.
 *
 * @returns the credential as it then is
 * @throws Error when the row has not been written in time
 */
export async function writeRowOfObject(env: Env, stored: StoredCredential): Promise<StoredCredential> {
  const { credentialId } = stored.record.credential;
  const written = await withTimeout(
    ROW_TIMEOUT_MS,
    onObject(
      env,
      credentialId,
      async (object): Promise<StoredCredential | null> => object.writeRow(),
      stored.location,
    ),
  );
  if (written === null) {
    throw new Error(`the object of the credential ${credentialId} has no credential`);
  }
  return written;
}

/** Retries once, on a new stub, if the runtime marks the error as retryable and the object is not overloaded. */
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

/** @param location the location hint of the object, which counts only on its first call */
function stubOf(
  env: Env,
  credentialId: string,
  location: ObjectLocation | null,
): DurableObjectStub<CredentialObject> {
  return objectsOf(env).getByName(credentialId, location === null ? {} : { locationHint: location });
}

/** If a jurisdiction is set, the objects live in it, and are found only there. */
function objectsOf({ CREDENTIALS, JURISDICTION }: Env): Env['CREDENTIALS'] {
  return JURISDICTION ? CREDENTIALS.jurisdiction(JURISDICTION) : CREDENTIALS;
}

function isRetryable(error: unknown): boolean {
  return (error as { retryable?: boolean }).retryable === true && !isOverloaded(error);
}

function isOverloaded(error: unknown): boolean {
  return (error as { overloaded?: boolean }).overloaded === true;
}
