import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

/** Restores. A finished one keeps its row, so that its parts can be answered again. */
export const restores = sqliteTable('restores', {
  municipalityId: municipalityId().primaryKey(),
  progress: text('progress', { mode: 'json' }).$type<RestoreProgress>().notNull(),
  /** Random, of the call that works on it: an earlier call can no longer write. */
  turn: text('turn').notNull(),
  /** When the last call began, by the database's clock. */
  calledAt: instantColumn('called_at').notNull(),
});

/** The progress of a restore. */
export interface RestoreProgress {
  /** The backup's. */
  readonly id: string;
  /** How many of its parts are stored whole. */
  readonly parts: number;
  /** Where the next part must begin: the sealed `after` of the last one. */
  readonly after: string | null;
  /** Whether there is no further part. */
  readonly isWhole: boolean;
  /** The digest of the part under way, and how many of its rows are stored. */
  readonly part: { readonly digest: string; readonly rows: number } | null;
  /** The stored rows of all parts. */
  readonly restored: number;
  /** When the backup was begun. It contains plates that were erased since. */
  readonly begunAt: number;
  /** The tenant's code in the backup. */
  readonly tenant: string;
  /** Once it is whole: the erasures to apply, and where comparing its plates with them continues. Null at the end. */
  readonly erasing: { readonly erasures: string; readonly position: Position | null } | null;
}

/** Where reading continues: in a table, after the row with these ids. Contains no key and no plate. */
export interface Position {
  readonly table: string;
  readonly after: readonly number[] | null;
}
