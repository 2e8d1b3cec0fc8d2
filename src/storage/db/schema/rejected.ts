import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

/** As `rejected_plates`, of a municipality's subscriptions: their imports have no source, and a line names several plates. */
export const rejectedSubscriptionPlates = sqliteTable(
  'rejected_subscription_plates',
  {
    municipalityId: municipalityId(),
    digest: text('digest').notNull(),
    at: instantColumn('at').notNull(),
    /** Of one plate of each line: lines are bounded too. */
    opensLine: flag('opens_line').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.digest] }),
    // Retention deletes by age.
    index('rejected_subscription_plates_by_at').on(t.at),
    // A patrol asks whether there are any of today, an import how many, and a move takes them along.
    index('rejected_subscription_plates_by_city').on(t.municipalityId, t.at, t.opensLine),
    // Erasure looks a plate's digests up.
    index('rejected_subscription_plates_by_digest').on(t.digest),
  ],
);

/** How many rejected lines cannot be told by a plate's digest, by hour: too many of them put every plate in doubt. */
export const rejectedLines = sqliteTable(
  'rejected_lines',
  {
    municipalityId: municipalityId(),
    /** Hours since the epoch. */
    hour: integer('hour').notNull(),
    /** Empty for subscriptions. */
    sourceCode: text('source_code').notNull(),
    /** Lines that named a plate of which no digest was kept. */
    unremembered: integer('unremembered').notNull(),
    /** Lines in which no plate could be read. */
    unreadable: integer('unreadable').notNull(),
    /** The last import of the hour that brought one. */
    lastAt: instantColumn('last_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.hour, t.sourceCode] }),
    // Retention deletes by age.
    index('rejected_lines_by_last_at').on(t.lastAt),
  ],
);
