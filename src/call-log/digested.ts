import { normalizePlate, type Plate } from '../domain/plate.ts';
import type { Env } from '../env.ts';
import { digestKeys } from '../plate-digest/digest-keys.ts';
import { plateDigest } from '../plate-digest/plate-digest.ts';
import { errorMessage } from '../platform/error-message.ts';
import { logEvent } from '../platform/log-event.ts';
import type { CallRecord, WholeCall } from './call-record.ts';

/** A call as its row is: with the digest in the plate's place. */
export type CallRow<Call extends CallRecord = CallRecord> = Omit<Call, 'plate'> & {
  readonly plateDigest: string | null;
};

/**
 * The row of a call. One whose digest cannot be made has its row without it: nothing that a caller waits for depends on
 * it.
 */
export async function digested<Call extends CallRecord>(call: Call, env: Env): Promise<CallRow<Call>> {
  const [key] = digestKeys(env);
  const { plate, ...rest } = call;
  const place = placeOf(call);
  const about = plate ?? plateIn(call);
  const canBeMade = key !== undefined && place !== null && about !== null;
  return { ...rest, plateDigest: canBeMade ? await made(key, place, about) : null };
}

async function made(key: string, place: string, plate: Plate): Promise<string | null> {
  try {
    return await plateDigest(key, place, plate);
  } catch (error) {
    logEvent('error', 'digest_failed', { message: errorMessage(error) });
    return null;
  }
}

/** An options query is kept whole, refused ones too, so that its digest leads to all that a tenant holds of a plate. */
function placeOf({ operation, tenant, municipalityCode }: Omit<CallRecord, 'plate'>): string | null {
  return operation === 'subscription_options' ? tenant : municipalityCode;
}

/**
 * The plate that the body of a whole call names: as a number too, which is refused, and is about the plate all the same.
 * Null where the body cannot be read, or names none.
 */
function plateIn(call: CallRecord | WholeCall): Plate | null {
  try {
    const request: unknown = 'request' in call ? JSON.parse(call.request ?? '') : null;
    const plate =
      typeof request === 'object' && request !== null && 'plate' in request ? request.plate : null;
    return typeof plate === 'string' || typeof plate === 'number' ? normalizePlate(String(plate)) : null;
  } catch {
    return null;
  }
}
