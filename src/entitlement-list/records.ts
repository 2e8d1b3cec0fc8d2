import { storedPlate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import { sessionTimes, subscriptionOf } from '../history/entitlements.ts';
import { recordedSession, recordedSubscription } from '../history/recorded.ts';
import type { StoredSession } from './listed-changes.ts';

/** A session as a row of the journal has it, and the code of its area. */
export function sessionOfRecord(
  json: string,
  { key, plate, sourceCode }: { readonly key: string; readonly plate: string; readonly sourceCode: string },
): StoredSession & { readonly areaCode: string } {
  const record = recordedSession(json, { key, plate });
  return {
    plate: storedPlate(record.plate),
    sourceCode,
    areaCode: record.area_code,
    ...sessionTimes(record),
  };
}

/** A subscription as a row of the journal has it, for that row's plate. */
export function subscriptionOfRecord(json: string, number: string, plate: string): Subscription {
  return subscriptionOf(recordedSubscription(json, number), storedPlate(plate));
}
