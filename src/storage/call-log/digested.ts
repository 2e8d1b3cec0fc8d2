import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { digestKeys } from '../plate-digest/digest-keys.ts';
import { plateDigest } from '../plate-digest/plate-digest.ts';
import type { CallRecord, WholeCall } from './call-record.ts';

/** A call as its row stores it: with a digest instead of the plate. */
export type CallRow<Call extends CallRecord = CallRecord> = Omit<Call, 'plate' | 'plates'> & {
  readonly plateDigest: string | null;
};

/** The row of one plate of a call about many. */
export interface CallPlateRow {
  readonly requestId: string;
  readonly position: number;
  readonly plateDigest: string;
  readonly outcome: string;
}

/** Makes the rows of a call's plates. Returns an empty list without a usable key. */
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
 * Makes the row of a call. If its digest cannot be made, the row goes without: no answer depends on it.
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

/** The digests of options queries and payments are by tenant: a refused one may have no municipality. */
function placeOf({
  operation,
  tenant,
  municipalityCode,
}: Omit<CallRecord, 'plate' | 'plates'>): string | null {
  return operation === 'subscription_options' || operation === 'subscription_payment'
    ? tenant
    : municipalityCode;
}

/**
 * The plate that the body of a whole call names, or null. A number counts, too: such a call is refused, but is still about
 * the plate.
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
