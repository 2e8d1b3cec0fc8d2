import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';
import { municipalityId } from './configuration.ts';

export const MOVE_STATES = ['moving', 'calling_off', 'called_off', 'done'] as const;

/**
 * Moves that are under way: a row in the database that the municipality leaves, and one in that where it goes, until the
 * old copy is cleaned up. One that is over keeps its row where the municipality lives, until the next move.
 */
export const moves = sqliteTable('moves', {
  municipalityId: municipalityId().primaryKey(),
  /** Names of databases. */
  fromDatabase: text('from_database').notNull(),
  toDatabase: text('to_database').notNull(),
  /** Where it goes: how far the move has come. */
  progress: text('progress', { mode: 'json' }).$type<MoveProgress>().notNull(),
  /**
   * Random. Where it goes: the call that works on the move; one that has been overtaken stores nothing any more. Where it
   * leaves: the call that has stopped the writes last.
   */
  turn: text('turn'),
  /** The municipality's stay that it leads to. */
  stay: integer('stay').notNull().default(0),
  /** By the database's clock. */
  begunAt: instantColumn('begun_at').notNull().default(0),
  /** Where it leaves: how often something has been erased since. A copy that was begun before is begun again. */
  erasures: integer('erasures').notNull().default(0),
  /** Where it leaves: how often the writes have been stopped with less than ten minutes in between, and when last. */
  stops: integer('stops').notNull().default(0),
  stopsSince: instantColumn('stops_since').notNull().default(0),
  state: text('state', { enum: MOVE_STATES }).notNull().default('moving'),
  /** When it was done or called off, by the database's clock. */
  endedAt: instantColumn('ended_at'),
  /** Of what comes from a backup, {@link FROM_BACKUP}: how far that has come. Null: it comes from a database. */
  restore: text('restore', { mode: 'json' }).$type<RestoreProgress>(),
});

/** In place of a database's name where a municipality comes from a backup. No database has this name, so nothing is read. */
export const FROM_BACKUP = 'backup';

/** How far the restoring of a backup has come. */
export interface RestoreProgress {
  /** The backup's. */
  readonly id: string;
  /** How many of its parts have been taken whole. */
  readonly parts: number;
  /** Where the next part has to begin: what the last one said it goes on after, sealed. */
  readonly after: string | null;
  /** Whether there is no further part. */
  readonly isWhole: boolean;
  /** Of the part that is being taken: its digest, and how many of its rows are stored. */
  readonly part: { readonly digest: string; readonly rows: number } | null;
  /** Rows that are stored, of all parts. */
  readonly restored: number;
  /** When the backup was begun: what was erased since is in it. */
  readonly begunAt: number;
  /** The tenant's code in the backup. */
  readonly tenant: string;
  /** Once it is whole: which erasures are being applied, and from where on its plates are still to be compared with them. */
  readonly erasing: { readonly erasures: string; readonly position: Position | null } | null;
  /** Where the municipality's row pointed before; null where there was none. */
  readonly before: { readonly movedTo: string; readonly stay: number } | null;
}

/** Where reading goes on: in a table, and behind the row with these numbers. No key and no plate is in it. */
export interface Position {
  readonly table: string;
  readonly after: readonly number[] | null;
}

/** How far a move has come. */
export interface MoveProgress {
  readonly step: 'clear' | 'copy' | 'clean';
  /** The pass under way, or the last one: it takes the versions recorded or replaced after the first instant, up to the second. */
  readonly since: number;
  readonly asOf: number;
  /** Null: the pass is over. */
  readonly position: Position | null;
  /** Rows that the pass has taken. */
  readonly taken: number;
  /** How often something had been erased when the copy was begun. */
  readonly erasures: number;
  /** Rows that have been copied, in all passes. */
  readonly copied: number;
}
