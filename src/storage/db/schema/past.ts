import { blob, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

/*
 * The database keeps its own past. A row of the present has the instant at which it was stored (`recorded_at`). When it is replaced,
 * a trigger copies the version to the table of the past, with the instant at which the next one was stored (`replaced_at`). The
 * intervals are half-open, touch, and end at the present.
 */

/**
 * One row for each transaction that changed a municipality. Its instant is the Worker's clock, or one more than the
 * municipality's last change if that is later. So it is unique in a municipality, and increases. Without rowid.
 */
export const changes = sqliteTable(
  'changes',
  {
    municipalityId: municipalityId(),
    recordedAt: instantColumn('recorded_at').notNull(),
    /** The 16 bytes of the id of the call that made the change. */
    requestId: blob('request_id').$type<Uint8Array>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.municipalityId, t.recordedAt] })],
);

/** Versions of a municipality's configuration: the form that the configuration is read in, as JSON. The newest is the present. */
export const configurationVersions = sqliteTable(
  'configuration_versions',
  {
    municipalityId: municipalityId(),
    recordedAt: instantColumn('recorded_at').notNull(),
    record: text('record').notNull(),
  },
  (t) => [primaryKey({ columns: [t.municipalityId, t.recordedAt] })],
);
