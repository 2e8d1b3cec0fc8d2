import type { ObjectLocation } from '../db/schema/index.ts';
import type { Env } from '../env.ts';
import { within } from '../platform/deadline.ts';
import type { BudgetName } from './budget-names.ts';
import type { CredentialObject } from './credential-object.ts';
import type { AdmissionCall, CredentialRecord } from './credential-record.ts';
import type { AdmissionAnswer } from './decide-admission.ts';

/** Past this an object counts as out of reach for a call that waits for it. */
export const REACHED_WITHIN_MS = 500;

/** Asks the credential's object to decide a call. Throws when it cannot be reached in time. */
export function askObject(env: Env, call: AdmissionCall, budget: BudgetName): Promise<AdmissionAnswer> {
  return within(
    REACHED_WITHIN_MS,
    onObject(
      env,
      call.token.credentialId,
      async (object): Promise<AdmissionAnswer> => object.admit(call, budget),
    ),
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

/** An error that the runtime calls retryable is retried once, on a new stub; never when the object is overloaded. */
async function onObject<T>(
  env: Env,
  credentialId: string,
  action: (object: DurableObjectStub<CredentialObject>) => Promise<T>,
  location: ObjectLocation | null = null,
): Promise<T> {
  const options = location === null ? {} : { locationHint: location };
  const stub = () => objectsOf(env).getByName(credentialId, options);
  try {
    return await action(stub());
  } catch (error) {
    if (isRetryable(error)) {
      return action(stub());
    }
    throw error;
  }
}

/** Where a jurisdiction is set, the objects live and are found in it alone. */
function objectsOf({ CREDENTIALS, JURISDICTION }: Env): Env['CREDENTIALS'] {
  return JURISDICTION ? CREDENTIALS.jurisdiction(JURISDICTION) : CREDENTIALS;
}

function isRetryable(error: unknown): boolean {
  const { retryable, overloaded } = error as { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}
