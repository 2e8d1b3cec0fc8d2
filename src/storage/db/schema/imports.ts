import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, instantColumn } from './columns.ts';
import { municipalityId, tenants } from './configuration.ts';

/** As `rejected_plates` of `sessions.ts`, for subscriptions: their imports have no source, and a line names several plates. */
export const rejectedSubscriptionPlates = sqliteTable(
  'rejected_subscription_plates',
  {
    municipalityId: municipalityId(),
    digest: text('digest').notNull(),
    at: instantColumn('at').notNull(),
    /** Set for one plate of each line, to count lines: they are bounded, too. */
    opensLine: flag('opens_line').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.digest] }),
    // Retention deletes by age.
    index('rejected_subscription_plates_by_at').on(t.at),
    // A patrol asks whether there are any today, and an import counts them.
    index('rejected_subscription_plates_by_city').on(t.municipalityId, t.at, t.opensLine),
    // Erasure looks a plate's digests up.
    index('rejected_subscription_plates_by_digest').on(t.digest),
  ],
);

/** Rejected lines without a plate's digest, per hour. Too many of them put every plate in doubt. */
export const rejectedLines = sqliteTable(
  'rejected_lines',
  {
    municipalityId: municipalityId(),
    /** Hours since the epoch. */
    hour: integer('hour').notNull(),
    /** Empty for subscriptions. */
    sourceCode: text('source_code').notNull(),
    /** Lines that named a plate whose digest was not kept. */
    unremembered: integer('unremembered').notNull(),
    /** Lines in which no plate could be read. */
    unreadable: integer('unreadable').notNull(),
    /** The last import of the hour with such a line. */
    lastAt: instantColumn('last_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.hour, t.sourceCode] }),
    // Retention deletes by age.
    index('rejected_lines_by_last_at').on(t.lastAt),
  ],
);

/** The changes of sessions and subscriptions that a tenant has stored per UTC day. */
export const changesByDay = sqliteTable(
  'changes_by_day',
  {
    /** Days since 1970. */
    day: integer('day').notNull(),
    tenantId: integer('tenant_id')
      .notNull()
      .references(() => tenants.id),
    changes: integer('changes').notNull(),
  },
  // Retention deletes by day.
  (t) => [primaryKey({ columns: [t.day, t.tenantId] })],
);
