import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag } from './columns.ts';
import { municipalityId } from './configuration.ts';

/**
 * Moves that are under way: a row in the database that the municipality leaves, and one in that where it goes, until the
 * old copy is cleaned up.
 */
export const moves = sqliteTable('moves', {
  municipalityId: municipalityId().primaryKey(),
  /** Names of databases. */
  fromDatabase: text('from_database').notNull(),
  toDatabase: text('to_database').notNull(),
  /** Where it goes: how far the move has come. */
  progress: text('progress', { mode: 'json' }).$type<MoveProgress>().notNull(),
  /** Where it goes: random; the call that works on the move. One that has been overtaken stores nothing any more. */
  turn: text('turn'),
  /** Where it leaves: something was erased there meanwhile, so that the copy is begun anew. */
  isStale: flag('is_stale').notNull(),
});

/** How far a move has come. */
export interface MoveProgress {
  readonly step: 'clear' | 'configuration' | 'subscriptions' | 'journal' | 'clean';
  /** The last subscription that was copied, by its number. */
  readonly subscription: string;
  /** The last row of the old database's journal that was looked at. */
  readonly sequence: number;
  /** The newest one when the copy was begun: what came later may have changed what is copied already. */
  readonly begunAt: number;
  /** Rows that have been copied. */
  readonly copied: number;
}
