import { and, asc, eq, gt, isNotNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../domain/instant.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import {
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { atMost, namedIn } from '../../storage/db/sql.ts';
import { type JudgedRow, judgedColumns } from '../../storage/db/titles.ts';

/** Sessions that one read looks at, of the facility or not, and titles that one read takes. */
const MAX_SESSIONS = 2_000;
const MAX_TITLES = 1_000;

const $ = sql.placeholder;

const SESSION = {
  id: parkingSessions.id,
  sourceCode: parkingSessions.sourceCode,
  sessionId: parkingSessions.sessionId,
  plate: parkingSessions.plate,
  startsAt: parkingSessions.startsAt,
  endsAt: parkingSessions.endsAt,
  cancelledAt: parkingSessions.cancelledAt,
  areaId: parkingSessions.areaId,
  runsUntil: parkingSessions.runsUntil,
  recordedAt: parkingSessions.recordedAt,
};

/** The order of a full list: that of the index by end. */
const BY_END = [parkingSessions.runsUntil, parkingSessions.startsAt, parkingSessions.id] as const;
/** The order of a delta. */
const BY_RECORDING = [parkingSessions.recordedAt, parkingSessions.id] as const;

const ofCity = eq(parkingSessions.municipalityId, $('municipalityId'));
const behindEnd = sql`(${parkingSessions.runsUntil}, ${parkingSessions.startsAt}, ${parkingSessions.id}) > (${$('first')}, ${$('second')}, ${$('third')})`;
const behindRecording = and(
  sql`(${parkingSessions.recordedAt}, ${parkingSessions.id}) > (${$('first')}, ${$('second')})`,
  lte(parkingSessions.recordedAt, $('upTo')),
);

/** The sessions of the facility among the next ones, and the last one that was looked at. */
function sessionsIn(condition: SQL | undefined, order: typeof BY_END | typeof BY_RECORDING, isHere: SQL) {
  const next = () =>
    db
      .select({ id: sql<number>`${parkingSessions.id}`.as('next_id') })
      .from(parkingSessions)
      .where(and(ofCity, condition))
      .orderBy(...order.map((column) => asc(column)));
  return {
    rows: query(() => {
      const looked = next().limit(atMost(MAX_SESSIONS)).as('looked');
      return db
        .select(SESSION)
        .from(looked)
        .innerJoin(parkingSessions, eq(parkingSessions.id, looked.id))
        .where(isHere)
        .orderBy(...order.map((column) => asc(column)));
    }),
    last: query(() => {
      const last = next()
        .limit(atMost(1))
        .offset(MAX_SESSIONS - 1)
        .as('last');
      return db.select(SESSION).from(last).innerJoin(parkingSessions, eq(parkingSessions.id, last.id));
    }),
  };
}

const isHere = sql`${parkingSessions.areaId} = ${$('areaId')}`;
/** Where a version was here that was replaced since, the session may have left. */
const isOrWasHere = sql`(${isHere} or exists (
  select 1 from ${pastParkingSessions}
  where ${pastParkingSessions.id} = ${parkingSessions.id}
    and ${pastParkingSessions.replacedAt} > ${$('since')}
    and ${pastParkingSessions.areaId} = ${$('areaId')}))`;

const SESSIONS = {
  sessions: sessionsIn(and(behindEnd, lt(parkingSessions.runsUntil, OPEN_END)), BY_END, isHere),
  // The end of an open session is a constant, so that the index is entered at their starts.
  open_sessions: sessionsIn(and(behindEnd, eq(parkingSessions.runsUntil, OPEN_END)), BY_END, isHere),
  changed: sessionsIn(behindRecording, BY_RECORDING, isOrWasHere),
};

/** A session of a list, or one that has left its facility. */
export type SessionRow = Awaited<ReturnType<typeof readSessions>>['rows'][number];

/** What one read is about. */
interface Values {
  readonly municipalityId: number;
  readonly areaId: number;
  readonly asOf: Instant;
  readonly areaCode: string;
  readonly after: readonly [number, number, number];
  readonly since: number;
  readonly upTo: number;
}

const valuesOf = ({ after: [first, second, third], ...values }: Values) => ({
  ...values,
  first,
  second,
  third,
});

/** The next sessions behind a position; `last` is the last one looked at, null where these are all. */
export async function readSessions(d1: D1Database, part: keyof typeof SESSIONS, values: Values) {
  const { rows, last } = SESSIONS[part];
  const [here, [lastOne]] = await read(d1, [rows, last], valuesOf(values));
  return { rows: here, last: lastOne ?? null };
}

const TITLE = {
  id: subscriptions.id,
  recordedAt: subscriptions.recordedAt,
  ...judgedColumns(subscriptions),
};

const TITLES = query(() =>
  db
    .select(TITLE)
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.municipalityId, $('municipalityId')),
        sql`(${subscriptions.recordedAt}, ${subscriptions.id}) > (${$('first')}, ${$('second')})`,
      ),
    )
    .orderBy(asc(subscriptions.recordedAt), asc(subscriptions.id))
    .limit(atMost(MAX_TITLES)),
);

const changedIn = (column: SQL) => sql`${column} > ${$('since')} and ${column} <= ${$('upTo')}`;
const recordedIn = (table: typeof subscriptions | typeof subscriptionPlates | typeof payments) =>
  and(eq(table.municipalityId, $('municipalityId')), changedIn(sql`${table.recordedAt}`));

/** Titles of which anything was recorded, replaced, paid or reversed in a time, in the order of their ids. */
const CHANGED_TITLES = query(() => {
  const changed = db
    .select({ id: sql<number>`${subscriptions.id}`.as('changed_id') })
    .from(subscriptions)
    .where(recordedIn(subscriptions))
    .union(
      db
        .select({ id: sql<number>`${subscriptionPlates.subscriptionId}`.as('changed_id') })
        .from(subscriptionPlates)
        .where(recordedIn(subscriptionPlates)),
    )
    .union(
      db
        .select({ id: sql<number>`${pastSubscriptionPlates.subscriptionId}`.as('changed_id') })
        .from(pastSubscriptionPlates)
        .where(
          and(
            eq(pastSubscriptionPlates.municipalityId, $('municipalityId')),
            changedIn(sql`${pastSubscriptionPlates.replacedAt}`),
          ),
        ),
    )
    .union(
      db
        .select({ id: sql<number>`${payments.subscriptionId}`.as('changed_id') })
        .from(payments)
        .where(and(recordedIn(payments), isNotNull(payments.startsAt))),
    )
    .union(
      db
        .select({ id: sql<number>`${payments.subscriptionId}`.as('changed_id') })
        .from(payments)
        .where(
          and(
            eq(payments.municipalityId, $('municipalityId')),
            isNotNull(payments.reversalRecordedAt),
            changedIn(sql`${payments.reversalRecordedAt}`),
          ),
        ),
    )
    .as('changed');
  return db
    .select(TITLE)
    .from(changed)
    .innerJoin(subscriptions, eq(subscriptions.id, changed.id))
    .where(gt(subscriptions.id, $('second')))
    .orderBy(asc(subscriptions.id))
    .limit(atMost(MAX_TITLES));
});

/** Plates that one read takes, but for a single title's. */
const MAX_PLATES = 5_000;

const SPANS = query(() =>
  db
    .select({
      id: subscriptionPlates.id,
      titleId: subscriptionPlates.subscriptionId,
      plate: subscriptionPlates.plate,
      validFrom: subscriptionPlates.validFrom,
      validUntil: subscriptionPlates.validUntil,
    })
    // In the order of the ids: which plates a limit leaves out depends on it.
    .from(sql`json_each(${$('ids')}) as named`)
    .crossJoin(subscriptionPlates)
    .where(eq(subscriptionPlates.subscriptionId, sql`named.value`))
    .limit($('limit')),
);

/** Spans that have left since. */
const LEFT = query(() =>
  db
    .select({ id: pastSubscriptionPlates.id, titleId: pastSubscriptionPlates.subscriptionId })
    .from(pastSubscriptionPlates)
    .where(
      and(
        namedIn(pastSubscriptionPlates.subscriptionId, 'ids'),
        gt(pastSubscriptionPlates.replacedAt, $('since')),
      ),
    )
    .orderBy(asc(pastSubscriptionPlates.id)),
);

/** Only periods that may still count. */
const PAID = query(() =>
  db
    .select({
      titleId: sql<number>`${payments.subscriptionId}`.as('title_id'),
      startsAt: sql<Instant>`${payments.startsAt}`.as('period_starts_at'),
      endsAt: sql<Instant>`${payments.endsAt}`.as('period_ends_at'),
      reversalRecordedAt: payments.reversalRecordedAt,
    })
    .from(payments)
    .where(
      and(
        namedIn(payments.subscriptionId, 'ids'),
        isNotNull(payments.startsAt),
        gt(payments.endsAt, $('asOf')),
      ),
    ),
);

/** A title of a list, with what its entries are made of. */
export type TitleRow = Awaited<ReturnType<typeof readTitles>>['titles'][number];

/** The next titles behind a position, in order, and whether these are all. */
export async function readTitles(d1: D1Database, part: 'all' | 'changed', values: Values) {
  const [rows] = await read(d1, [part === 'all' ? TITLES : CHANGED_TITLES], valuesOf(values));
  const { taken, spans, left, paid } = await readWithPlates(d1, part, rows, values);
  const [spansOf, leftOf, paidOf] = [byTitle(spans), byTitle(left), byTitle(paid)];
  return {
    titles: taken.map((row) => ({
      ...row,
      spans: (spansOf.get(row.id) ?? []).sort((one, other) => one.id - other.id),
      left: part === 'all' ? [] : (leftOf.get(row.id) ?? []),
      paid: paidOf.get(row.id) ?? [],
    })),
    areAll: taken.length === rows.length && rows.length < MAX_TITLES,
  };
}

/** The first of these titles, as many as have their plates in one read: some have hundreds. */
async function readWithPlates<Row extends JudgedRow & { readonly id: number }>(
  d1: D1Database,
  part: 'all' | 'changed',
  taken: readonly Row[],
  values: Values,
) {
  // Of the whole list, the plates of what is not listed need not be read.
  const ids = taken.filter((row) => part === 'changed' || mayBeListed(row, values)).map(({ id }) => id);
  const isOne = taken.length === 1;
  const [spans, left, paid] = await read(d1, [SPANS, LEFT, PAID], {
    ...valuesOf(values),
    ids: JSON.stringify(ids),
    limit: isOne ? -1 : MAX_PLATES + 1,
  });
  if (isOne || spans.length <= MAX_PLATES) return { taken, spans, left, paid };
  // Again with those before the last one seen, which may not have come whole.
  const seen = new Set(spans.map(({ titleId }) => titleId));
  const whole = taken.findLastIndex(({ id }) => seen.has(id));
  return readWithPlates(d1, part, taken.slice(0, Math.max(1, whole)), values);
}

/** Whether a title may be valid in the facility from the list's instant on, by its own columns. */
const mayBeListed = (
  { approval, limitedTo, revokedAt, authorizedUntil }: JudgedRow,
  { areaCode, asOf }: Values,
): boolean =>
  approval === 'approved' &&
  (limitedTo?.includes(areaCode) ?? true) &&
  (revokedAt === null || revokedAt > asOf) &&
  (authorizedUntil === null || authorizedUntil > asOf);

const byTitle = <Row extends { readonly titleId: number }>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ titleId }) => titleId);
