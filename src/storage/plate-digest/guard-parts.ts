import { type SQL, sql } from 'drizzle-orm';
import { sessionOverAt } from '../db/over-sql.ts';
import { parkingSessions, subscriptions } from '../db/schema/index.ts';
import { tableByIndex } from '../db/sql.ts';

/** The session or subscription that an erased plate's digest guards, by its columns. */
export interface Guarded {
  readonly municipality: SQL;
  readonly source: SQL;
  readonly key: SQL;
}

/** When the guarded session is over; null if it does not exist. */
export const sessionGuardedUntil = ({ municipality, source, key }: Guarded): SQL => sql`(
  select ${sessionOverAt(parkingSessions)} from ${tableByIndex(parkingSessions, 'parking_sessions_key')}
  where ${parkingSessions.municipalityId} = ${municipality} and ${parkingSessions.sourceCode} = ${source}
    and ${parkingSessions.sessionId} = ${key})`;

/** When the guarded subscription is over; null if it does not exist. */
export const subscriptionGuardedUntil = ({ municipality, key }: Omit<Guarded, 'source'>): SQL => sql`(
  select ${subscriptions.overAt} from ${tableByIndex(subscriptions, 'subscriptions_number')}
  where ${subscriptions.municipalityId} = ${municipality} and ${subscriptions.subscriptionNumber} = ${key})`;
