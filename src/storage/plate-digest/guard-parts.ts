import { type SQL, sql } from 'drizzle-orm';
import { sessionOverAt } from '../db/over-sql.ts';
import { parkingSessions, subscriptions } from '../db/schema/index.ts';
import { tableByIndex } from '../db/sql.ts';

/** What an erased plate's digest guards: a session or a subscription, as the tables name it. */
export interface Guarded {
  readonly municipality: SQL;
  readonly source: SQL;
  readonly key: SQL;
}

/** When a session is over. Null where there is none; likewise below. */
export const sessionGuardedUntil = ({ municipality, source, key }: Guarded): SQL => sql`(
  select ${sessionOverAt(parkingSessions)} from ${tableByIndex(parkingSessions, 'parking_sessions_key')}
  where ${parkingSessions.municipalityId} = ${municipality} and ${parkingSessions.sourceCode} = ${source}
    and ${parkingSessions.sessionId} = ${key})`;

export const subscriptionGuardedUntil = ({ municipality, key }: Omit<Guarded, 'source'>): SQL => sql`(
  select ${subscriptions.overAt} from ${tableByIndex(subscriptions, 'subscriptions_number')}
  where ${subscriptions.municipalityId} = ${municipality} and ${subscriptions.subscriptionNumber} = ${key})`;
