import { OPEN_END } from '../db/schema/sessions.ts';
import { HOUR_MS, type Instant, instant, nullableInstant } from '../domain/instant.ts';
import type { Span } from '../domain/interval.ts';
import { SESSION_WINDOW_MS } from '../domain/parking-session.ts';
import { storedPlate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { FullPosition, Mark } from './cursor.ts';
import {
  type PeriodTuple,
  type PlateTuple,
  READ_SESSIONS,
  READ_SUBSCRIPTIONS,
  type SessionRow,
  type SubscriptionRow,
} from './full-statements.ts';
import { type CursorBase, headOf, headStatement, type JournalHead } from './journal-table.ts';
import {
  type ListedChange,
  type ListScope,
  listedEntryOf,
  sessionRight,
  subscriptionRight,
} from './listed-changes.ts';

/** How many rows one statement looks at, of the facility or not, and how many of them it takes. */
const MOST_LOOKED_AT = { sessions: 10_000, open_sessions: 10_000, subscriptions: 2_000 } as const;
/** Fewer subscriptions, since each may have hundreds of plates and periods. */
const MOST_TAKEN = { sessions: 10_000, open_sessions: 10_000, subscriptions: 1_000 } as const;
/** A short answer looks at this many rows a line, and at some in any case. */
const LOOKED_AT_A_LINE = 8;
const LEAST_LOOKED_AT = 500;
/** How often an answer asks the database for more, where few rows are of the facility. */
const MOST_READS = 12;

/** A part of the full list, as of an instant. */
export interface FullPart {
  readonly changes: readonly ListedChange[];
  /** Null at the end. */
  readonly next: FullPosition | null;
  /** The newest row of the journal when the last of it was read. Null: the cursor has expired. */
  readonly newest: Mark | null;
}

/** One read: what it found, and where the next one goes on. */
interface Read {
  readonly changes: readonly ListedChange[];
  readonly next: FullPosition | null;
}

/** The bounds of one read: how many lines there is room for, and how many rows are looked at. */
interface Bounds {
  readonly most: number;
  readonly lookedAt: number;
}

/** Where a full list begins: no session that ended earlier is in it. */
export const startOfList = (asOf: Instant): FullPosition => ({
  part: 'sessions',
  after: [asOf - SESSION_WINDOW_MS, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
});

/**
 * Reads the next lines of a full list. The read is bounded, so that a part may have no lines although more will follow.
 *
 * @param cursor null at the beginning of a list
 */
export async function readFullPart(
  db: D1DatabaseSession,
  scope: ListScope,
  asOf: Instant,
  from: FullPosition,
  cursor: CursorBase | null,
  mostLines: number,
): Promise<FullPart> {
  const changes: ListedChange[] = [];
  let next: FullPosition | null = from;
  let newest: Mark | null = null;
  for (let reads = 0; next !== null && changes.length < mostLines && reads < MOST_READS; reads++) {
    const position: FullPosition = next;
    const most = mostLines - changes.length;
    const lookedAt = Math.min(
      MOST_LOOKED_AT[position.part],
      Math.max(LEAST_LOOKED_AT, LOOKED_AT_A_LINE * most),
    );
    const bounds = { most, lookedAt };
    const [head, rows] = await db.batch([
      headStatement(db, scope.municipality, cursor),
      statementOf(db, scope, asOf, position, lookedAt),
    ]);
    const journal: JournalHead = headOf(head, scope.municipality, cursor);
    if (!journal.isWhole) {
      return { changes: [], next: null, newest: null };
    }
    ({ newest } = journal);
    const read: Read =
      position.part === 'subscriptions'
        ? subscriptionsOf((rows?.results ?? []) as SubscriptionRow[], position, scope, asOf, bounds)
        : sessionsOf((rows?.results ?? []) as SessionRow[], position, scope, asOf, bounds);
    changes.push(...read.changes);
    ({ next } = read);
  }
  return { changes, next, newest };
}

function statementOf(
  db: D1DatabaseSession,
  { municipality, facility }: ListScope,
  asOf: Instant,
  position: FullPosition,
  lookedAt: number,
): D1PreparedStatement {
  const common = [municipality.id, facility.areaId, asOf, lookedAt, MOST_TAKEN[position.part]];
  return position.part === 'subscriptions'
    ? db.prepare(READ_SUBSCRIPTIONS()).bind(...common, position.number)
    : db.prepare(READ_SESSIONS()).bind(...common, ...position.after, greatestEnd(position.part));
}

/** Open sessions have the greatest end of all: they are a part of their own. */
const greatestEnd = (part: 'sessions' | 'open_sessions'): number =>
  part === 'sessions' ? OPEN_END - 1 : OPEN_END;

function sessionsOf(
  rows: readonly SessionRow[],
  { part }: FullPosition & { part: 'sessions' | 'open_sessions' },
  scope: ListScope,
  asOf: Instant,
  { most, lookedAt }: Bounds,
): Read {
  const changes: ListedChange[] = [];
  for (const [index, row] of rows.entries()) {
    const stored = {
      kind: 'session',
      session: {
        plate: storedPlate(row.plate),
        sourceCode: row.source_code,
        startsAt: instant(row.starts_at),
        endsAt: nullableInstant(row.ends_at),
        cancelledAt: nullableInstant(row.cancelled_at),
      },
    } as const;
    const entry = row.area_id === scope.facility.areaId ? listedEntryOf(stored, scope, asOf) : null;
    if (entry !== null) {
      changes.push({ right: sessionRight(scope.municipality.id, row.source_code, row.session_id), entry });
    }
    if (row.position === lookedAt || changes.length === most || index + 1 === MOST_TAKEN[part]) {
      return { changes, next: { part, after: [row.runs_until, row.starts_at, row.id] } };
    }
  }
  const next = part === 'sessions' ? startOfOpenSessions(scope, asOf) : START_OF_SUBSCRIPTIONS;
  return { changes, next: isLast(next, scope) ? null : next };
}

/** No open session that started earlier counts any more, whatever its source. */
function startOfOpenSessions({ municipality }: ListScope, asOf: Instant): FullPosition {
  const longest = Math.max(0, ...municipality.openSessionMaxHours.values());
  return {
    part: 'open_sessions',
    after: [OPEN_END, asOf - SESSION_WINDOW_MS - longest * HOUR_MS, Number.MAX_SAFE_INTEGER],
  };
}

const START_OF_SUBSCRIPTIONS: FullPosition = { part: 'subscriptions', number: '', plates: null };

const isLast = ({ part }: FullPosition, { municipality }: ListScope): boolean =>
  part === 'subscriptions' && !municipality.subscriptionsEnabled;

function subscriptionsOf(
  rows: readonly SubscriptionRow[],
  from: FullPosition & { part: 'subscriptions' },
  scope: ListScope,
  asOf: Instant,
  { most, lookedAt }: Bounds,
): Read {
  const changes: ListedChange[] = [];
  for (const row of rows) {
    const number = row.subscription_number;
    const plates = row.may_be_listed === 1 ? platesOf(row) : [];
    const done = number === from.number ? (from.plates ?? plates.length) : 0;
    for (const [index, plate] of plates.slice(done).entries()) {
      if (changes.length === most) {
        return { changes, next: after(number, done + index) };
      }
      changes.push(...changesOf(row, plate, scope, asOf));
    }
    if (row.position === lookedAt) {
      return { changes, next: after(number, null) };
    }
  }
  const last = rows.length === MOST_TAKEN.subscriptions ? rows.at(-1) : undefined;
  return { changes, next: last ? after(last.subscription_number, null) : null };
}

const after = (number: string, plates: number | null): FullPosition => ({
  part: 'subscriptions',
  number,
  plates,
});

function changesOf(row: SubscriptionRow, plate: PlateOnIt, scope: ListScope, asOf: Instant): ListedChange[] {
  const subscription = subscriptionOf(row, plate, scope);
  const entry = listedEntryOf({ kind: 'subscription', subscription }, scope, asOf);
  const right = subscriptionRight(scope.municipality.id, row.subscription_number, plate.cameWith);
  return entry === null ? [] : [{ right, entry }];
}

interface PlateOnIt {
  readonly plate: string;
  readonly validity: readonly Span[];
  readonly cameWith: number;
}

/** Its plates, each once, always in the same order. */
function platesOf({ plates }: SubscriptionRow): readonly PlateOnIt[] {
  // The shape is that of the statement.
  const tuples = JSON.parse(plates) as PlateTuple[];
  return [...Map.groupBy(tuples, ([plate]) => plate)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([plate, ofPlate], index) => ({
      plate,
      validity: ofPlate.map(([, from, until]) => ({
        from: nullableInstant(from),
        until: nullableInstant(until),
      })),
      // What was stored without the journal has no row: it gets a number that no row has.
      cameWith: ofPlate[0]?.[3] ?? -1 - index,
    }));
}

function subscriptionOf(
  row: SubscriptionRow,
  { plate, validity }: PlateOnIt,
  { facility }: ListScope,
): Subscription {
  return {
    subscriptionNumber: row.subscription_number,
    plate: storedPlate(plate),
    plateValidity: validity,
    approval: row.approval,
    authorized: { from: nullableInstant(row.authorized_from), until: nullableInstant(row.authorized_until) },
    suspended:
      row.suspended_from === null
        ? null
        : { from: instant(row.suspended_from), until: nullableInstant(row.suspended_until) },
    revokedAt: nullableInstant(row.revoked_at),
    // The shape is that of the statement.
    periods: (JSON.parse(row.periods) as PeriodTuple[]).map(([startsAt, endsAt]) => ({
      startsAt: instant(startsAt),
      endsAt: instant(endsAt),
    })),
    // Only subscriptions for the facility are read.
    areas: [facility.code],
  };
}
