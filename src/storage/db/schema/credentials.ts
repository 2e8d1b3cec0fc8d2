import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';

/** The platform's location hints for an object. */
export const OBJECT_LOCATIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;
export type ObjectLocation = (typeof OBJECT_LOCATIONS)[number];

/** What is listed of credentials. The credential's Durable Object is the authority, and alone holds its secrets' hashes. */
export const credentials = sqliteTable(
  'credentials',
  {
    /** The name of the Durable Object. The token and the key contain it in clear. */
    id: text('id').primaryKey(),
    /** Its code. */
    tenant: text('tenant').notNull(),
    createdAt: instantColumn('created_at').notNull(),
    /** The object's: a row never goes back. */
    version: integer('version').notNull(),
    /** What the object holds, but for the hashes. */
    record: text('record', { mode: 'json' }).notNull(),
  },
  (t) => [
    // The lists of all and of a tenant's credentials: a page reads only its own rows.
    index('credentials_by_creation').on(t.createdAt, t.id),
    index('credentials_by_tenant').on(t.tenant, t.createdAt, t.id),
  ],
);
