import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const MOVE_STATES = ['moving', 'calling_off', 'called_off', 'done'] as const;

/**
 * Moves: a row in the old database and one in the new, until the old copy is cleaned up. A finished move keeps its row where
 * the municipality lives, until the next move.
 */
export const moves = sqliteTable('moves', {
  municipalityId: municipalityId().primaryKey(),
  /** Names of databases. */
  fromDatabase: text('from_database').notNull(),
  toDatabase: text('to_database').notNull(),
  /** In the new database: the progress of the move. */
  progress: text('progress', { mode: 'json' }).$type<MoveProgress>().notNull(),
  /**
   * Random. In the new database: the call that works on the move; an earlier call can no longer write. In the old one: the
   * call that last stopped the writes.
   */
  turn: text('turn'),
  /** The municipality's stay in the new database. */
  stay: integer('stay').notNull().default(0),
  /** By the database's clock. */
  begunAt: instantColumn('begun_at').notNull().default(0),
  /** In the old database: the erasures since. A copy that was begun before the last one begins again. */
  erasures: integer('erasures').notNull().default(0),
  /** In the old database: how often writes were stopped with less than ten minutes in between, and when last. */
  stops: integer('stops').notNull().default(0),
  stopsSince: instantColumn('stops_since').notNull().default(0),
  state: text('state', { enum: MOVE_STATES }).notNull().default('moving'),
  /** When it was finished or called off, by the database's clock. */
  endedAt: instantColumn('ended_at'),
  /** The progress of a restore {@link FROM_BACKUP}. Null for a move. */
  restore: text('restore', { mode: 'json' }).$type<RestoreProgress>(),
});

/** The database's name of a municipality that comes from a backup. No database has this name, so none is read. */
export const FROM_BACKUP = 'backup';

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
  /** Once it is whole: the erasures to apply, and where comparing the copy's plates with them continues. Null at the end. */
  readonly erasing: { readonly erasures: string; readonly position: Position | null } | null;
  /** Where the municipality's row pointed before; null if there was no row. */
  readonly before: { readonly movedTo: string; readonly stay: number } | null;
}

/** Where reading continues: in a table, after the row with these ids. Contains no key and no plate. */
export interface Position {
  readonly table: string;
  readonly after: readonly number[] | null;
}

/** The progress of a move. */
export interface MoveProgress {
  readonly step: 'clear' | 'copy' | 'clean';
  /** The pass under way, or the last one. It copies versions recorded or replaced after `since`, up to `asOf`. */
  readonly since: number;
  readonly asOf: number;
  /** The call that made the change `asOf`; empty if there is none. */
  readonly mark: string;
  /** Null: the pass is over. */
  readonly position: Position | null;
  /** The rows that the pass has copied. */
  readonly taken: number;
  /** The erasures when the copy was begun. */
  readonly erasures: number;
  /** The rows copied in all passes. */
  readonly copied: number;
}
