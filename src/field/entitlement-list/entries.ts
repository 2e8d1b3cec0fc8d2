import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { listedIntervals, listedSession } from '../../domain/list-entry.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { read } from '../../storage/db/batch.ts';
import { OPEN_FROM } from '../../storage/db/schema/sessions.ts';
import { subscriptionOf } from '../../storage/db/titles.ts';
import type { RemovedLine, SessionLine, SubscriptionLine } from './contract.ts';
import type { ListState, Position } from './cursor.ts';
import type { ListedFacility, ListMunicipality } from './facility-table.ts';
import type { ListKeys } from './keys.ts';
import { CHANGED_SESSIONS, CHANGED_TITLES, LEFT, MAX_ROWS, SESSIONS, TITLES } from './rows-table.ts';

/** The list of a facility, as the holder of a token gets it. */
export interface List {
  readonly municipality: ListMunicipality;
  readonly facility: ListedFacility;
  readonly keys: ListKeys;
  readonly state: ListState;
}

/** A row of a part of the list. */
export interface Row {
  /** Its sort key. */
  readonly after: Position['after'];
  /** Null if it adds nothing. */
  readonly line: () => SessionLine | SubscriptionLine | RemovedLine | null;
}

/** Where a list begins: behind all rows of an instant. A full one has no session that ended earlier. */
export const startOf = ({ asOf, since }: Pick<ListState, 'asOf' | 'since'>): Position => ({
  part: 'sessions',
  after: [(since ?? asOf - SESSION_WINDOW_MS) + 1, 0],
});

/** The next rows behind a position, and the position behind them: of the next part if they are the last of theirs; null at the end. */
export async function readRows(d1: D1Database, list: List, { part, after }: Position) {
  const rows = await (part === 'sessions' ? readSessions : readTitles)(d1, list, after);
  const last = rows[MAX_ROWS - 1];
  if (last !== undefined) return { rows, behind: { part, after: last.after } };
  const hasTitles = part === 'sessions' && list.municipality.subscriptionsEnabled;
  return { rows, behind: hasTitles ? ({ part: 'titles', after: [0, 0] } as const) : null };
}

/** The values of the queries. */
const valuesOf = ({ municipality, facility, state: { since, upTo } }: List, [at, id]: Position['after']) => ({
  ...{ municipalityId: municipality.id, areaId: facility.id },
  ...{ since, upTo, at, id },
});

/**
 * Sessions; of a delta, also the spans of plates that have left their titles. No transaction stores both kinds, so no session has the
 * sort key of a span.
 */
async function readSessions(d1: D1Database, list: List, [at, id]: Position['after']): Promise<Row[]> {
  const { municipality, state } = list;
  const { asOf, since } = state;
  // Open sessions come last in a full list, by their start. No earlier one than these counts any more, whatever its source.
  const longest = Math.max(0, ...municipality.openSessionMaxHours.values()) * HOUR_MS;
  const from = at < OPEN_FROM ? at : Math.max(at, OPEN_FROM + asOf - SESSION_WINDOW_MS - longest);
  const query = since === null ? SESSIONS : CHANGED_SESSIONS;
  const hasLeft = since !== null && municipality.subscriptionsEnabled;
  const [[found], ...left] = await read(d1, hasLeft ? [query, LEFT] : [query], valuesOf(list, [from, id]));
  const sessions = (found?.rows ?? []).map(
    ([key, row, isHere, wasHere, startsAt, endsAt, sourceCode, plate, cancelledAt]): Row => ({
      after: [key, row],
      line: () => {
        if (!isHere && !wasHere) return null;
        const openSessionMaxHours = municipality.openSessionMaxHours.get(sourceCode) ?? 0;
        const session = { startsAt, endsAt, cancelledAt, openSessionMaxHours };
        const listed = isHere ? listedSession(session, asOf, municipality.timeZone) : null;
        if (listed === null || !isShown(plate)) return removalOf(list, 'session', row);
        const written = (instant: Instant) => formatInstant(instant, municipality.timeZone);
        return {
          ...entryOf(list, 'session', row, plate),
          ...{ from: written(listed.from), until: written(listed.until) },
          ...(listed.cancelledAt !== null && { cancelled_at: written(listed.cancelledAt) }),
        };
      },
    }),
  );
  const removals = left.flat().map(
    ({ replacedAt, id: span }): Row => ({
      after: [replacedAt, span],
      line: () => removalOf(list, 'subscription', span),
    }),
  );
  // The first ones of both together. The others are read again, behind these.
  return [...sessions, ...removals]
    .sort(({ after: [a, x] }, { after: [b, y] }) => a - b || x - y)
    .slice(0, MAX_ROWS);
}

async function readTitles(d1: D1Database, list: List, after: Position['after']): Promise<Row[]> {
  const { municipality, facility, state } = list;
  const [titles] = await read(d1, [state.since === null ? TITLES : CHANGED_TITLES], valuesOf(list, after));
  return titles.map((title) => ({
    after: [title.recordedAt, title.id],
    line: () => {
      // One line for all spans of a plate: that of the first, so that no other plate's id moves when one leaves.
      if (title.spans.some(({ id }) => id < title.id)) return null;
      const subscription = subscriptionOf(title, title.spans);
      const valid = listedIntervals(subscription, facility.code, state.asOf, municipality.timeZone);
      if (valid.length === 0 || !isShown(title.plate)) return removalOf(list, 'subscription', title.id);
      const written = (at: Instant) => formatInstant(at, municipality.timeZone);
      return {
        ...entryOf(list, 'subscription', title.id, title.plate),
        valid: valid.map(({ from, until }) => ({ from: written(from), until: written(until) })),
      };
    },
  }));
}

type Kind = (SessionLine | SubscriptionLine)['kind'];

/** Normalization never yields a pseudonym, and no list has one. */
const isShown = (plate: Plate): boolean => normalizePlate(plate) === plate;

const entryOf = <K extends Kind>({ keys }: List, kind: K, row: number, plate: Plate) =>
  ({ type: 'entry', id: keys.entryId(kind, row), plate: keys.plateHash(plate), kind }) as const;

/** A full list has no removals. */
const removalOf = ({ keys, state }: List, kind: Kind, row: number): RemovedLine | null =>
  state.since === null ? null : { type: 'removed', id: keys.entryId(kind, row) };
