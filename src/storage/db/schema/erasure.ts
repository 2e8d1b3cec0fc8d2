import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

/**
 * Keeps a plate erased in a municipality: its keyed digest, and since when. An import's line that names it, and that began before,
 * does not bring it back. Without rowid.
 */
export const erasedPlates = sqliteTable(
  'erased_plates',
  {
    municipalityId: municipalityId(),
    digest: text('digest').notNull(),
    erasedAt: instantColumn('erased_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.municipalityId, t.digest] }),
    // Retention deletes by age.
    index('erased_plates_by_time').on(t.erasedAt),
  ],
);
