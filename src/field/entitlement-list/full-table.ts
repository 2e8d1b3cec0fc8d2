import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { sharedPartOf, spanOf } from '../../core/entitlement/plate-subscriptions-table.ts';
import { HOUR_MS, type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { storedPlate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { parkingSessions, subscriptionPlates, subscriptions } from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import {
  bare,
  columns,
  type Json,
  jsonArray,
  jsonRows,
  list,
  parsed,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { batch, statement, value } from '../../storage/db/statement.ts';
import { fieldColumnsByName } from '../../storage/db/subscription-fields.ts';
import {
  bySpan,
  type ListedChange,
  type ListScope,
  listedEntryOf,
  sessionRight,
  subscriptionRight,
} from './changes.ts';
import type { FullPosition, Mark, SpanKey } from './cursor.ts';
import { type CursorBase, type Head, headOf, headStatement } from './head-table.ts';
import { mayBeListed, PLACE, periodsAfter, subscription } from './listed-parts.ts';

const READ = {
  ...PLACE,
  asOf: value<Instant>(),
  /** The most rows to scan, and the most to take. */
  maxLookedAt: value<number>(),
  maxTaken: value<number>(),
};

const session = alias(parkingSessions, 'session');
const plate = alias(subscriptionPlates, 'plate');

const SESSION = {
  id: session.id,
  source_code: session.sourceCode,
  session_id: session.sessionId,
  plate: session.plate,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
} as const;

/** `is_mark` 1: no entry, but the last row scanned. */
type SessionRow = RowOf<typeof SESSION> & { readonly is_mark: number };

/**
 * The facility's sessions among the next ones, and the last one scanned if fewer than the maximum were taken. SQLite stores
 * no temporary rows: it reads each row and its index entry, and the index once more for the last one.
 */
const READ_SESSIONS = statement(
  {
    ...READ,
    /** The position of the last session. */
    afterEnd: value<number>(),
    afterStart: value<number>(),
    afterId: value<number>(),
    greatestEnd: value<number>(),
  },
  ({ municipalityId, areaId, asOf, maxLookedAt, maxTaken, afterEnd, afterStart, afterId, greatestEnd }) => {
    // Sessions after a position, in the order of their ends, which is the index's.
    const inOrder = sql`
    from ${tableAs(parkingSessions, session, 'parking_sessions_by_end')}
    where ${session.municipalityId} = ${municipalityId}
      and ${session.runsUntil} <= ${greatestEnd}
      and (${session.runsUntil}, ${session.startsAt}, ${session.id}) > (${afterEnd}, ${afterStart}, ${afterId})
    order by ${session.runsUntil}, ${session.startsAt}, ${session.id}`;
    return sql<SessionRow>`
  select ${list(Object.keys(SESSION).map((name) => bare({ name })))}, 0 as is_mark
  from (
    select ${columns(SESSION)}, ${session.areaId} as area_id
    ${inOrder}
    limit ${maxLookedAt}
  )
  where area_id = ${areaId}
    and (cancelled_at is null or cancelled_at > ${asOf})
  union all
  select *, 1 as is_mark
  from (
    select ${columns(SESSION)}
    from (
      select ${session.id} as last
      ${inOrder}
      limit 1 offset ${maxLookedAt} - 1
    )
    cross join ${tableAs(parkingSessions, session)} on ${session.id} = last
  )
  limit ${maxTaken}`;
  },
);

const PLATE = [plate.plate, plate.validFrom, plate.validUntil, plate.recordedAt, plate.id] as const;
type PlateTuple = TupleOf<typeof PLATE>;

const subscriptionColumns = (asOf: SQL) =>
  ({
    subscription_number: subscription.subscriptionNumber,
    ...fieldColumnsByName(subscription),
    plates: sql<Json<PlateTuple[]>>`${jsonRows(
      jsonArray(PLATE),
      sql`
      from ${tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription')}
      where ${plate.subscriptionId} = ${subscription.id}`,
    )}`,
    periods: periodsAfter(asOf),
  }) as const;

type SubscriptionRow = RowOf<ReturnType<typeof subscriptionColumns>> & {
  readonly position: number;
  /** 0: it is included only because it was the last one scanned. */
  readonly may_be_listed: number;
  /** The number of subscriptions, including those whose plates had no room. */
  readonly found: number;
};

/**
 * Subscriptions of the municipality in the order of their numbers, from a number on: those that may be listed, and always
 * the last one scanned. Stops after the one whose plates exceed the maximum.
 */
const READ_SUBSCRIPTIONS = statement(
  { ...READ, from: value<string>(), maxPlates: value<number>() },
  ({ municipalityId, areaId, asOf, maxLookedAt, maxTaken, from, maxPlates }) => sql<SubscriptionRow>`
  with looked_at as materialized (
    select ${subscription.id} as id,
      ${subscription.subscriptionNumber} as number,
      ${mayBeListed(areaId, asOf)} as may_be_listed,
      row_number() over (order by ${subscription.subscriptionNumber}) as position
    from ${tableAs(subscriptions, subscription)}
    where ${subscription.municipalityId} = ${municipalityId}
      and ${subscription.subscriptionNumber} >= ${from}
    order by ${subscription.subscriptionNumber}
    limit ${maxLookedAt}
  )
  select ${columns(subscriptionColumns(asOf))},
    taken.may_be_listed as may_be_listed,
    taken.position as position,
    taken.found as found
  from (
    select *,
      count(*) over () as found,
      coalesce(
        sum(iif(number = ${from}, 0, plates))
          over (order by position rows between unbounded preceding and 1 preceding),
        0) as plates_before
    from (
      select *, (
        select count(*)
        from ${tableAs(subscriptionPlates, plate, 'subscription_plates_by_subscription')}
        where ${plate.subscriptionId} = looked_at.id
      ) as plates
      from looked_at
      where may_be_listed or position = ${maxLookedAt}
      order by position
      limit ${maxTaken}
    )
  ) as taken
  cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = taken.id
  where taken.plates_before < ${maxPlates}
  order by taken.position`,
);

/**
 * The most rows that one statement scans, of the facility or not, and the most that it takes: a database answers one
 * statement at a time, and gates ask the same one.
 */
const MAX_LOOKED_AT = { sessions: 5_000, open_sessions: 5_000, subscriptions: 2_000 } as const;
/** Fewer subscriptions, since each may have hundreds of plates and periods. */
const MAX_TAKEN = { sessions: 5_000, open_sessions: 5_000, subscriptions: 1_000 } as const;
/** A short answer scans this many rows per line, and at least some. */
const LOOKED_AT_A_LINE = 8;
const MIN_LOOKED_AT = 500;
/** A page has no room for more: an entry's line has more than 150 bytes. */
const MAX_ENTRIES = Math.floor((1024 * 1024) / 150);
/** The most reads of an answer if few rows belong to the facility. */
const MAX_READS = 12;

/** An entry of the full list, and the position after it. */
interface PlacedChange extends ListedChange {
  readonly behind: FullPosition;
}

type SubscriptionsPosition = FullPosition & { readonly part: 'subscriptions' };

/** The result of one read, and the position of the next one: null at the end. */
interface Read {
  readonly changes: readonly PlacedChange[];
  readonly next: FullPosition | null;
}

/** A part of the full list, as of an instant. */
interface FullPart extends Read {
  /** The newest change at the last read. Null: the cursor has expired. */
  readonly newest: Mark | null;
}

/** The bounds of one read: the lines that there is room for, and the most rows to scan and to take. */
interface Bounds {
  readonly max: number;
  readonly lookedAt: number;
  readonly taken: number;
}

/** The position at which a full list begins: it has no session that ended earlier. */
export const startOfList = (asOf: Instant): FullPosition => ({
  part: 'sessions',
  after: [asOf - SESSION_WINDOW_MS, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
});

/**
 * Reads the next lines of a full list. Reads a bounded number of rows, so a part may have no lines although more follow.
 *
 * @param cursor null at the beginning of a list
 */
export async function readFullPart(
  db: D1Database,
  scope: ListScope,
  asOf: Instant,
  from: FullPosition,
  cursor: CursorBase | null,
  limit: number,
): Promise<FullPart> {
  const maxLines = Math.min(limit, MAX_ENTRIES);
  const changes: PlacedChange[] = [];
  let next: FullPosition | null = from;
  let newest: Mark | null = null;
  for (let reads = 0; next !== null && changes.length < maxLines && reads < MAX_READS; reads++) {
    const position: FullPosition = next;
    const max = maxLines - changes.length;
    const lookedAt = Math.min(MAX_LOOKED_AT[position.part], Math.max(MIN_LOOKED_AT, LOOKED_AT_A_LINE * max));
    // A session is one line. For subscriptions the statement itself stops after the last one that fits.
    const maxTaken = MAX_TAKEN[position.part];
    const taken = position.part === 'subscriptions' ? maxTaken : Math.min(maxTaken, max);
    const bounds = { max, lookedAt, taken };
    const read = await readNext(db, scope, asOf, position, cursor, bounds);
    if (read === null) {
      return { changes: [], next: null, newest: null };
    }
    ({ newest } = read);
    changes.push(...read.changes);
    ({ next } = read);
  }
  return { changes, next, newest };
}

/** One read. Null: the cursor has expired. */
async function readNext(
  db: D1Database,
  scope: ListScope,
  asOf: Instant,
  position: FullPosition,
  cursor: CursorBase | null,
  bounds: Bounds,
): Promise<(Read & Pick<Head, 'newest'>) | null> {
  const { municipality, facility } = scope;
  const head = headStatement(db, municipality, cursor);
  const values = {
    municipalityId: municipality.id,
    areaId: facility.areaId,
    asOf,
    maxLookedAt: bounds.lookedAt,
    maxTaken: bounds.taken,
  };
  if (position.part === 'subscriptions') {
    const [first, { results }] = await batch(db, [
      head,
      READ_SUBSCRIPTIONS.prepare(db, { ...values, from: position.number, maxPlates: bounds.max }),
    ]);
    const { isWhole, newest } = headOf(first, cursor);
    return isWhole ? { ...subscriptionsOf(results, position, scope, asOf, bounds), newest } : null;
  }
  const [afterEnd, afterStart, afterId] = position.after;
  const [first, { results }] = await batch(db, [
    head,
    READ_SESSIONS.prepare(db, {
      ...{ ...values, afterEnd, afterStart, afterId },
      greatestEnd: greatestEnd(position.part),
    }),
  ]);
  const { isWhole, newest } = headOf(first, cursor);
  return isWhole ? { ...sessionsOf(results, position, scope, asOf, bounds), newest } : null;
}

/** Open sessions have the greatest end of all, and are a part of their own. */
const greatestEnd = (part: 'sessions' | 'open_sessions'): number =>
  part === 'sessions' ? OPEN_END - 1 : OPEN_END;

function sessionsOf(
  rows: readonly SessionRow[],
  { part }: FullPosition & { part: 'sessions' | 'open_sessions' },
  scope: ListScope,
  asOf: Instant,
  { taken }: Bounds,
): Read {
  const changes: PlacedChange[] = [];
  for (const [index, row] of rows.entries()) {
    const next: FullPosition = { part, after: [row.ends_at ?? OPEN_END, row.starts_at, row.id] };
    if (row.is_mark === 1) {
      return { changes, next };
    }
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
    const entry = listedEntryOf(stored, scope, asOf);
    if (entry !== null) {
      const right = sessionRight(scope.municipality.id, row.source_code, row.session_id);
      changes.push({ right, entry, behind: next });
    }
    if (index + 1 === taken) {
      return { changes, next };
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

const START_OF_SUBSCRIPTIONS: FullPosition = { part: 'subscriptions', number: '', span: null };

const isLast = ({ part }: FullPosition, { municipality }: ListScope): boolean =>
  part === 'subscriptions' && !municipality.subscriptionsEnabled;

function subscriptionsOf(
  rows: readonly SubscriptionRow[],
  from: SubscriptionsPosition,
  scope: ListScope,
  asOf: Instant,
  { max, lookedAt }: Bounds,
): Read {
  const changes: PlacedChange[] = [];
  let done = from;
  for (const row of rows) {
    const number = row.subscription_number;
    for (const plate of platesLeft(row, from)) {
      if (changes.length === max) {
        return { changes, next: done };
      }
      done = after(number, plate.span);
      const change = changeOf(row, plate, scope, asOf);
      if (change.entry !== null) changes.push({ ...change, behind: done });
    }
    done = after(number, null);
    if (row.position === lookedAt) {
      return { changes, next: done };
    }
  }
  return { changes, next: behind(rows) };
}

/** The entries of a subscription that are not on an earlier page. */
function platesLeft(row: SubscriptionRow, from: SubscriptionsPosition) {
  const { subscription_number: number, may_be_listed } = row;
  if (may_be_listed === 0 || (number === from.number && from.span === null)) {
    return [];
  }
  const { span } = number === from.number ? from : { span: null };
  return platesOf(row).filter((plate) => span === null || bySpan(plate.span, span) > 0);
}

/** The position after rows that were taken completely. Null: there are no more. */
function behind(rows: readonly SubscriptionRow[]): FullPosition | null {
  const isCut = rows.length === MAX_TAKEN.subscriptions || rows.length < (rows[0]?.found ?? 0);
  const last = isCut ? rows.at(-1) : undefined;
  return last ? after(last.subscription_number, null) : null;
}

const after = (number: string, span: SpanKey | null): SubscriptionsPosition => ({
  part: 'subscriptions',
  number,
  span,
});

function changeOf(row: SubscriptionRow, on: PlateOnIt, scope: ListScope, asOf: Instant): ListedChange {
  // Only subscriptions for the facility are read.
  const shared = sharedPartOf(row.subscription_number, row, parsed(row.periods), [scope.facility.code]);
  const subscription = { ...shared, plate: storedPlate(on.plate), plateValidity: on.validity };
  return {
    right: subscriptionRight(scope.municipality.id, row.subscription_number, on.span),
    entry: listedEntryOf({ kind: 'subscription', subscription }, scope, asOf),
  };
}

interface PlateOnIt {
  readonly plate: string;
  readonly validity: Subscription['plateValidity'];
  /** The first of its spans. */
  readonly span: SpanKey;
}

/** Its plates without repetition, in the order of their first spans, so that adding or removing a plate moves no other. */
function platesOf({ plates }: SubscriptionRow): readonly PlateOnIt[] {
  return [...Map.groupBy(parsed(plates), ([plate]) => plate)]
    .flatMap(([plate, ofPlate]) => {
      const [span] = ofPlate.map(([, , , recordedAt, id]): SpanKey => [recordedAt, id]).toSorted(bySpan);
      const validity = ofPlate.map(([, from, until]) => spanOf([from, until]));
      return span === undefined ? [] : [{ plate, validity, span }];
    })
    .toSorted((a, b) => bySpan(a.span, b.span));
}
