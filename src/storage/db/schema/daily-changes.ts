import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { tenants } from './configuration.ts';

/** The changes of sessions and subscriptions that a tenant has stored in this database, per UTC day. */
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
