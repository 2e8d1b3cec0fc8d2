import { DAY_MS } from './instant.ts';

/*
 * What is stored of one plate in a municipality is bounded when it is stored, so that a call simply reads it. Where a read finds
 * more all the same, the call fails: it is never a "no".
 */

/** How many other sessions of a plate may end later than {@link CROWD_WINDOW_MS} before the start of one that is stored. */
export const MAX_PLATE_SESSIONS = 5_000;
export const CROWD_WINDOW_MS = DAY_MS;

/**
 * How many sessions of a plate a call reads that end later than a day before its instant. Twice as many as are stored near one
 * start may be around one instant, and later ones come behind them.
 */
export const MAX_READ_SESSIONS = 20_000;

/** How many other subscriptions that are not over may name a plate of one that is stored. */
export const MAX_PLATE_SUBSCRIPTIONS = 200;
/** How many of a plate's subscriptions a call reads: those that are over are kept for years. */
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
  /** When the version that it replaces ends, where that has the same plate; null for none. */
  readonly storedUntil: number | null;
  /** A row that counts already, or for nothing, is always stored. */
  readonly isExempt: boolean;
  /** How many stored rows of the plate end later than `since`. */
  readonly stored: number;
}

/**
 * The keys of the rows that are one too many of their plate, judged in their order: a refused row makes room
 * for the next.
 *
 * @param rows all changes of a batch to these plates
 * @param max how many others may be there
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
