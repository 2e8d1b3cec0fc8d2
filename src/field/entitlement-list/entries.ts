import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { type ListEntry, sessionEntry, subscriptionEntry, writableEntry } from '../../domain/list-entry.ts';
import { paidPeriod } from '../../domain/paid-period.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate } from '../../domain/plate.ts';
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
export const startOf = ({ asOf, since, upTo }: Omit<ListState, 'position'>): Position => ({
  part: 'sessions',
  after: [(upTo === null ? asOf - SESSION_WINDOW_MS : since) + 1, 0, 0],
});

/** The next rows behind a position, and the position behind them: of another part if they are the last of theirs; null at the end. */
export async function readRows(d1: D1Database, list: List, { part, after }: Position) {
  const rows = await readPart(d1, list, part, after);
  const last = rows[MAX_ROWS - 1];
  return { rows, behind: last === undefined ? nextPart(list, part) : { part, after: last.after } };
}

function nextPart({ municipality, state }: List, part: Position['part']): Position | null {
  if (part === 'titles' || !municipality.subscriptionsEnabled) return null;
  return { part: part === 'sessions' && state.upTo !== null ? 'left' : 'titles', after: [0, 0, 0] };
}

/** Open sessions come last in a full list, by their start. No earlier one than these counts any more, whatever its source. */
function behindForgotten(
  { municipality: { openSessionMaxHours }, state }: List,
  after: Position['after'],
): Position['after'] {
  const longest = Math.max(0, ...openSessionMaxHours.values()) * HOUR_MS;
  const counting = OPEN_FROM + state.asOf - SESSION_WINDOW_MS - longest;
  return OPEN_FROM <= after[0] && after[0] < counting ? [counting, 0, 0] : after;
}

async function readPart(
  d1: D1Database,
  list: List,
  part: Position['part'],
  after: Position['after'],
): Promise<readonly Row[]> {
  const { municipality, facility, state } = list;
  const { asOf, since, upTo } = state;
  const [first, second, third] = part === 'sessions' ? behindForgotten(list, after) : after;
  const values = {
    ...{ municipalityId: municipality.id, areaId: facility.id },
    ...{ since, upTo, first, second, third },
  };
  switch (part) {
    case 'sessions': {
      const [[found]] = await read(d1, [upTo === null ? SESSIONS : CHANGED_SESSIONS], values);
      return (found?.rows ?? []).map(
        ([at, id, isHere, wasHere, startsAt, endsAt, sourceCode, plate, cancelledAt]) => ({
          after: [at, id, 0],
          line: () => {
            if (!isHere && !wasHere) return null;
            const openSessionMaxHours = municipality.openSessionMaxHours.get(sourceCode) ?? 0;
            const session = { plate, startsAt, endsAt, cancelledAt, openSessionMaxHours };
            return lineOf(list, 'session', id, isHere ? sessionEntry(session, asOf) : null);
          },
        }),
      );
    }
    case 'left': {
      const [rows] = await read(d1, [LEFT], values);
      return rows.map(({ replacedAt, subscriptionId, id }) => ({
        after: [replacedAt, subscriptionId, id],
        line: () => lineOf(list, 'subscription', id, null),
      }));
    }
    case 'titles': {
      const [rows] = await read(d1, [upTo === null ? TITLES : CHANGED_TITLES], values);
      return rows.map((row) => ({
        after: [row.recordedAt, row.id, 0],
        line: () => {
          // One line for all spans of a plate: that of the first, so that no other plate's id moves when one leaves.
          if (row.spans.some(({ id }) => id < row.id)) return null;
          const paid = row.paid.flatMap((payment) => paidPeriod(payment) ?? []);
          const title = subscriptionOf(row, row.spans, paid);
          return lineOf(list, 'subscription', row.id, subscriptionEntry(title, facility.code, asOf));
        },
      }));
    }
    default:
      return part satisfies never;
  }
}

/** The line of an entry, or of its removal, which a full list has not. */
function lineOf(
  { municipality: { timeZone }, keys, state }: List,
  kind: ListEntry['kind'],
  row: number,
  entry: ListEntry | null,
): ReturnType<Row['line']> {
  const shown = writableEntry(entry, timeZone);
  // Normalization never yields a pseudonym, and no list has one.
  if (shown === null || normalizePlate(shown.plate) !== shown.plate) {
    return state.upTo === null ? null : { type: 'removed', id: keys.entryId(kind, row) };
  }
  const written = (at: Instant) => formatInstant(at, timeZone);
  const line = {
    type: 'entry',
    id: keys.entryId(kind, row),
    plate: keys.plateHash(shown.plate),
  } as const;
  if (shown.kind === 'session') {
    const { from, until, cancelledAt } = shown;
    return {
      ...line,
      ...{ kind: shown.kind, from: written(from), until: written(until) },
      ...(cancelledAt !== null && { cancelled_at: written(cancelledAt) }),
    };
  }
  const valid = shown.valid.map(({ from, until }) => ({
    from: written(from),
    until: until === null ? null : written(until),
  }));
  return { ...line, kind: shown.kind, valid };
}
