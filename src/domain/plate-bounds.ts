import { DAY_MS } from './instant.ts';

/*
 * Imports bound the rows of one plate in a municipality, so that a call can read all of them. If a read finds more anyway,
 * the call fails: it is never a "no".
 */

/** The most other sessions of a plate that end later than {@link CROWD_WINDOW_MS} before the start of a session to store. */
export const MAX_PLATE_SESSIONS = 5_000;
export const CROWD_WINDOW_MS = DAY_MS;

/**
 * The most sessions of a plate that a call reads: those that end later than a day before its instant. Around one instant
 * there may be twice as many as near one start, and later ones follow.
 */
export const MAX_READ_SESSIONS = 20_000;

/** The most other subscriptions that are not over and name a plate of a subscription to store. */
export const MAX_PLATE_SUBSCRIPTIONS = 200;
/** The most subscriptions of a plate that a call reads: those that are over are kept for years. */
export const MAX_READ_SUBSCRIPTIONS = 2_000;

/** The kind of rows that are too many. */
export type Unread = 'sessions' | 'subscriptions' | 'history' | 'checks';

/** A row of a plate that a batch stores, with the facts that count it for other rows and others for it. */
export interface CrowdedRow {
  readonly key: string;
  readonly plate: string;
  /** Others that end later than this count. */
  readonly since: number;
  readonly until: number;
  /** When the version that it replaces ends, if that has the same plate; null if there is none. */
  readonly storedUntil: number | null;
  /** A row that counts already, or for nothing, is always stored. */
  readonly isExempt: boolean;
  /** The number of stored rows of the plate that end later than `since`. */
  readonly stored: number;
}

/**
 * Returns the keys of the rows that are too many for their plate, judged in their order: a refused row makes room for the
 * next.
 *
 * @param rows all changes of a batch to these plates
 * @param max the most other rows of a plate
 */
export function crowdedKeys(rows: readonly CrowdedRow[], max: number): ReadonlySet<string> {
  const crowded = new Set<string>();
  for (const ofPlate of Map.groupBy(rows, ({ plate }) => plate).values()) {
    const accepted: CrowdedRow[] = [];
    for (const row of ofPlate) {
      const isLater = (until: number | null): boolean => until !== null && until > row.since;
      const replaced = [...accepted, row].filter(({ storedUntil }) => isLater(storedUntil)).length;
      const others = row.stored - replaced + accepted.filter(({ until }) => isLater(until)).length;
      if (!row.isExempt && others >= max) {
        crowded.add(row.key);
      } else {
        accepted.push(row);
      }
    }
  }
  return crowded;
}
