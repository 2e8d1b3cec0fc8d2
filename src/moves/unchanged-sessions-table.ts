import type { SessionPlace } from '../db/schema/moves.ts';
import { NEWEST_SESSION, READ_UNCHANGED_SESSIONS } from './copy-statements.ts';

/** Where looking at sessions begins. */
export const FIRST_SESSION: SessionPlace = { upTo: 0, newest: null };

export interface NewestSession {
  readonly id: number;
  readonly mark: string;
  /** 1: the one that was the newest before is still there. */
  readonly stays: number;
}

/** Read the next sessions that the journal has no row of: their results go to {@link takeSessions}. */
export const sessionStatements = (
  db: D1Database,
  id: number,
  { upTo, newest }: SessionPlace,
  range: number,
): D1PreparedStatement[] => [
  db.prepare(NEWEST_SESSION()).bind(newest?.id ?? 0, newest?.mark ?? ''),
  db.prepare(READ_UNCHANGED_SESSIONS()).bind(id, upTo, upTo + range),
];

/** How far the sessions have been looked at then. Where an id may have been given again, from the first on. */
export function takeSessions(
  { results: [newest] }: D1Result<NewestSession>,
  place: SessionPlace,
  range: number,
): { readonly isAtEnd: boolean; readonly place: SessionPlace } {
  if (newest === undefined) {
    return { isAtEnd: true, place: FIRST_SESSION };
  }
  const { id, mark, stays } = newest;
  if (place.newest !== null && stays !== 1) {
    return { isAtEnd: false, place: FIRST_SESSION };
  }
  return {
    isAtEnd: id <= place.upTo + range,
    place: { upTo: Math.min(id, place.upTo + range), newest: { id, mark } },
  };
}
