import { storedPlate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import { sessionTimes, subscriptionOf } from '../history/entitlements.ts';
import type { RecordedSession, RecordedSubscription } from '../history/recorded.ts';
import type { StoredSession } from './listed-changes.ts';

/** A session as a row of the journal has it. */
export function sessionOfRecord(json: string, sourceCode: string): StoredSession {
  // The shape is that of the import's statement.
  const record = JSON.parse(json) as RecordedSession;
  return { plate: storedPlate(record.plate), sourceCode, ...sessionTimes(record) };
}

/** A subscription as a row of the journal has it, for that row's plate. */
export function subscriptionOfRecord(json: string, plate: string): Subscription {
  // The shape is that of the import's statement.
  return subscriptionOf(JSON.parse(json) as RecordedSubscription, storedPlate(plate));
}
