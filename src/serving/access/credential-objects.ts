import { withTimeout } from '../../base/platform/deadline.ts';
import type { Env } from '../../env.ts';
import type { ObjectLocation } from '../../storage/db/schema/index.ts';
import type { CredentialObject } from './credential-object.ts';

/** If an object takes longer, it counts as unreachable for the call that is waiting for it. */
const OBJECT_TIMEOUT_MS = 1_000;

/**
 * Asks a credential's object. Asks once more, on a new stub, if the runtime marks the error as retryable: only what may be
 * done twice is asked like this.
 *
 * @param location the location hint of the object, which counts only on its first call
 * @throws Error when it does not answer in time
 */
export function askObject<T>(
  env: Env,
  credentialId: string,
  ask: (object: DurableObjectStub<CredentialObject>) => Promise<T>,
  location: ObjectLocation | null = null,
): Promise<T> {
  // If a jurisdiction is set, the objects live in it, and are found only there.
  const { CREDENTIALS, JURISDICTION } = env;
  const objects = JURISDICTION ? CREDENTIALS.jurisdiction(JURISDICTION) : CREDENTIALS;
  const askOnce = () =>
    ask(objects.getByName(credentialId, location === null ? {} : { locationHint: location }));
  const tried = async (): Promise<T> => {
    try {
      return await askOnce();
    } catch (error) {
      const { retryable, overloaded } = error as { retryable?: boolean; overloaded?: boolean };
      if (retryable === true && overloaded !== true) return askOnce();
      throw error;
    }
  };
  return withTimeout(OBJECT_TIMEOUT_MS, tried());
}
