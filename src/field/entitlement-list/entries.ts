import { HOUR_MS, type Instant } from '../../domain/instant.ts';
import { type ListEntry, sessionEntry, subscriptionEntry, writableEntry } from '../../domain/list-entry.ts';
import { paidPeriod } from '../../domain/paid-period.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { type ResultsOf, read } from '../../storage/db/batch.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { judgedPart } from '../../storage/db/titles.ts';
import type { ListState, Position } from './cursor.ts';
import type { ListedFacility, ListMunicipality } from './facility-table.ts';
import {
  CHANGED_SESSIONS,
  CHANGED_TITLES,
  LEFT,
  MAX_ROWS,
  MAX_TITLES,
  SESSIONS,
  TITLES,
} from './rows-table.ts';

/** The parts of a right's id, which never contains its plate. */
export type Right = readonly (string | number)[];

/** One line of an answer: the entry of a right, or its removal. */
export interface ListedChange {
  readonly right: Right;
  readonly entry: ListEntry | null;
}

/** The facility of a list, with the settings on which its entries depend. */
export interface ListScope {
  readonly municipality: ListMunicipality;
  readonly facility: ListedFacility;
}

/** A line and the position behind it; without a line, how far a read has come. */
interface Step {
  readonly change: ListedChange | null;
  /** Null: the list ends here. */
  readonly behind: Position | null;
}

const LAST = Number.MAX_SAFE_INTEGER;

/** Where a full list begins: it has no session that ended earlier. */
export const startOfFull = (asOf: Instant): Position => ({
  part: 'sessions',
  after: [asOf - SESSION_WINDOW_MS, LAST, LAST],
});

/** Where a delta begins: behind the change up to which its holder has everything. */
export const startOfDelta = (since: Instant): Position => ({
  part: 'sessions',
  // The index is entered behind the rows of the change itself, of which there may be many.
  after: [since + 1, 0, 0],
});

/** The most reads of an answer, which ends early where few rows are of the facility. */
const MAX_READS = 12;

/** The lines of a list from its position on, read as they are taken. */
export async function* stepsOf(d1: D1Database, scope: ListScope, state: ListState): AsyncGenerator<Step> {
  const isDelta = state.upTo !== null;
  let { position } = state;
  for (let reads = 0; position !== null && reads < MAX_READS; reads += 1) {
    const { part }: Position = position;
    const { rows, areAll } = await readRows(d1, scope, state, position);
    for (const { after, changeOf } of rows) {
      position = { part, after };
      const change = changeOf();
      if (change !== null && (isDelta || change.entry !== null)) yield { change, behind: position };
    }
    if (areAll) position = nextPart(part, scope, state);
    yield { change: null, behind: position };
  }
}

/** A row of a list. */
interface Row {
  /** Its sort key. */
  readonly after: Position['after'];
  /** Null: the list is not about it. */
  readonly changeOf: () => ListedChange | null;
}

/** The next rows behind a position, and whether none is left behind them. */
async function readRows(
  d1: D1Database,
  scope: ListScope,
  { asOf, since, upTo }: ListState,
  { part, after }: Position,
): Promise<{ readonly rows: readonly Row[]; readonly areAll: boolean }> {
  const isDelta = upTo !== null;
  const { municipality, facility } = scope;
  const [first, second, third] = behindForgotten(after, municipality, asOf);
  const ids = { municipalityId: municipality.id, areaId: facility.areaId };
  const values = { ...ids, since, upTo, first, second, third };
  switch (part) {
    case 'sessions': {
      const [rows] = await read(d1, [isDelta ? CHANGED_SESSIONS : SESSIONS], values);
      const steps = rows.map(
        (row): Row => ({
          after: isDelta ? [row.recordedAt, row.id, 0] : [row.endsAt ?? OPEN_END, row.startsAt, row.id],
          changeOf: () => sessionChange(row, scope, asOf),
        }),
      );
      return { rows: steps, areAll: rows.at(-1)?.place !== MAX_ROWS };
    }
    case 'left': {
      const [rows] = await read(d1, [LEFT], values);
      const steps = rows.map(
        ({ replacedAt, subscriptionId, id }): Row => ({
          after: [replacedAt, subscriptionId, id],
          changeOf: () => ({ right: titleRight(municipality, id), entry: null }),
        }),
      );
      return { rows: steps, areAll: rows.length < MAX_ROWS };
    }
    case 'titles': {
      const [rows] = await read(d1, [isDelta ? CHANGED_TITLES : TITLES], values);
      const steps = rows.map(
        (row): Row => ({
          after: [isDelta ? row.subscriptionId : row.recordedAt, row.id, 0],
          changeOf: () => titleChange(row, scope, asOf),
        }),
      );
      return { rows: steps, areAll: rows.length < MAX_TITLES };
    }
    default:
      return part satisfies never;
  }
}

/** Open sessions come last in a full list, by their start. No earlier one than these counts any more, whatever its source. */
function behindForgotten(
  after: Position['after'],
  { openSessionMaxHours }: ListMunicipality,
  asOf: Instant,
): Position['after'] {
  const counting = asOf - SESSION_WINDOW_MS - Math.max(0, ...openSessionMaxHours.values()) * HOUR_MS;
  return after[0] === OPEN_END && after[1] < counting ? [OPEN_END, counting, LAST] : after;
}

function nextPart(
  part: Position['part'],
  { municipality }: ListScope,
  { since, upTo }: ListState,
): Position | null {
  if (part === 'titles' || !municipality.subscriptionsEnabled) return null;
  return part === 'sessions' && upTo !== null
    ? { ...startOfDelta(since), part: 'left' }
    : { part: 'titles', after: [0, 0, 0] };
}

function sessionChange(
  row: ResultsOf<[typeof SESSIONS]>[0][number],
  { municipality }: ListScope,
  asOf: Instant,
): ListedChange | null {
  if (!row.isConcerned) return null;
  const right = ['session', municipality.id, row.sourceCode, row.sessionId];
  const openSessionMaxHours = municipality.openSessionMaxHours.get(row.sourceCode) ?? 0;
  const entry = row.isHere ? sessionEntry({ ...row, openSessionMaxHours }, asOf) : null;
  return { right, entry: shown(entry, municipality) };
}

/** A plate's right in a title bears the number of its first span, so that no other one moves when it leaves. */
const titleRight = ({ id }: ListMunicipality, span: number): Right => ['subscription', id, span];

function titleChange(
  row: ResultsOf<[typeof TITLES]>[0][number],
  { municipality, facility }: ListScope,
  asOf: Instant,
): ListedChange | null {
  // One line for all spans of a plate.
  if (row.spans.some(([id]) => id < row.id)) return null;
  const subscription = {
    ...judgedPart(
      row,
      row.paid.flatMap((payment) => paidPeriod(payment) ?? []),
    ),
    subscriptionNumber: '',
    plate: row.plate,
    plateValidity: row.spans.map(([, from, until]) => ({ from, until })),
  };
  return {
    right: titleRight(municipality, row.id),
    entry: shown(subscriptionEntry(subscription, facility.code, asOf), municipality),
  };
}

/** The part of an entry that can be written. No list has a pseudonym, which is what normalization never yields. */
function shown(entry: ListEntry | null, { timeZone }: ListMunicipality): ListEntry | null {
  const written = writableEntry(entry, timeZone);
  return written !== null && normalizePlate(written.plate) === written.plate ? written : null;
}
