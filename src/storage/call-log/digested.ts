import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { digestKeys } from '../plate-digest/digest-keys.ts';
import { plateDigest } from '../plate-digest/plate-digest.ts';
import type { CallRecord, WholeCall } from './call-record.ts';

/** A call as its row is: with the digest in the plate's place. */
export type CallRow<Call extends CallRecord = CallRecord> = Omit<Call, 'plate' | 'plates'> & {
  readonly plateDigest: string | null;
};

/** A row of a call that is about many plates, for one of them. */
export interface CallPlateRow {
  readonly requestId: string;
  readonly position: number;
  readonly plateDigest: string;
  readonly outcome: string;
}

/** The rows of a call's plates. Without a usable key there are none. */
export async function digestPlates(call: CallRecord, env: Env): Promise<CallPlateRow[]> {
  const [key] = digestKeys(env);
  const place = placeOf(call);
  if (key === undefined || place === null) {
    return [];
  }
  const { requestId } = call;
  const rows = await Promise.all(
    call.plates.map(async ({ plate, outcome }, position) => {
      const digest = await digestOrNull(key, place, plate);
      return digest === null ? [] : [{ requestId, position, plateDigest: digest, outcome }];
    }),
  );
  return rows.flat();
}

/**
 * The row of a call. One whose digest cannot be made has its row without it: nothing that a caller waits for depends on
 * it.
 */
export async function digestCall<Call extends CallRecord>(call: Call, env: Env): Promise<CallRow<Call>> {
  const [key] = digestKeys(env);
  const { plate, plates: _, ...rest } = call;
  const place = placeOf(call);
  const about = plate ?? plateIn(call);
  const canBeMade = key !== undefined && place !== null && about !== null;
  return { ...rest, plateDigest: canBeMade ? await digestOrNull(key, place, about) : null };
}

async function digestOrNull(key: string, place: string, plate: Plate): Promise<string | null> {
  try {
    return await plateDigest(key, place, plate);
  } catch (error) {
    logEvent('error', 'digest_failed', { message: errorMessage(error) });
    return null;
  }
}

/** Options queries are kept whole, refused ones too. Their digest is by tenant, so that it finds all of them for a plate. */
function placeOf({
  operation,
  tenant,
  municipalityCode,
}: Omit<CallRecord, 'plate' | 'plates'>): string | null {
  return operation === 'subscription_options' ? tenant : municipalityCode;
}

/**
 * The plate that the body of a whole call names, even as a number: that is refused, but still about the plate. Null where
 * the body cannot be read or names no plate.
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
