import { type Sealing, seal, unseal } from '../access/seal.ts';
import type { journal } from '../db/schema/index.ts';
import type { Instant } from '../domain/instant.ts';

/** A row of the journal, by its number and its random stamp: after a restore another row may have the number. */
export interface Mark {
  readonly sequence: number;
  readonly stamp: typeof journal.$inferSelect.stamp;
}

/** Where a full list continues. */
export type FullPosition =
  | {
      readonly part: 'sessions' | 'open_sessions';
      /** The last row that was looked at: its end, start and id. */
      readonly after: readonly [runsUntil: number, startsAt: number, id: number];
    }
  | {
      readonly part: 'subscriptions';
      /** The last one that was looked at. */
      readonly number: string;
      /** How many of its plates were looked at; null for all. */
      readonly plates: number | null;
    };

/** What a cursor contains: what the caller has received, and what comes next. */
export interface ListState {
  /** The instant of the list being sent, or of the last complete one. */
  readonly asOf: Instant;
  /** The journal's rows after this one are still to be sent. */
  readonly since: number;
  /** Of those, rows up to this one may already show in the full list, whose pages take a while. */
  readonly shownUpTo: number;
  /** The newest row that any of this depends on. */
  readonly mark: Mark;
  /** A digest of the settings that change every entry at once. */
  readonly settings: string;
  readonly page:
    | null
    | { readonly of: 'full'; readonly position: FullPosition }
    /** The instant of the changes being sent; `mark` is their last row. */
    | { readonly of: 'changes'; readonly asOf: Instant };
}

/** What a cursor is bound to, apart from the token, whose key seals it. */
export interface CursorBinding {
  /** The binding of the database. */
  readonly database: string;
  readonly municipalityId: number;
  readonly areaId: number;
}

export const sealCursor = (state: ListState, binding: CursorBinding, sealing: Sealing): Promise<string> =>
  seal(state, boundTo(binding), sealing);

/** @returns null for a cursor of another token or list, and for one that was made up */
export const openCursor = async (
  cursor: string,
  binding: CursorBinding,
  sealing: Sealing,
): Promise<ListState | null> =>
  // Only this service, with this version of the key, can have sealed it.
  (await unseal(cursor, boundTo(binding), sealing)) as ListState | null;

const boundTo = ({ database, municipalityId, areaId }: CursorBinding) => [database, municipalityId, areaId];
