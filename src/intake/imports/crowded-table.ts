import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { MAX_SPANS } from '../../core/entitlement/plate-subscriptions-table.ts';
import type { Instant } from '../../domain/instant.ts';
import { coveredUntil } from '../../domain/paid-periods.ts';
import {
  CROWD_WINDOW_MS,
  type CrowdedRow,
  crowdedKeys,
  MAX_PLATE_SESSIONS,
  MAX_PLATE_SUBSCRIPTIONS,
} from '../../domain/plate-bounds.ts';
import { subscriptionOverAt } from '../../domain/subscription.ts';
import { undo } from '../../storage/db/guards.ts';
import { parkingSessions, subscriptionPlates, subscriptions } from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import { type Json, json, lineAt, literal, parsed, tableAs } from '../../storage/db/sql.ts';
import { all, type Parameters, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import { keepsPlaceOfSession } from './rules.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

const OF_PLATES = {
  municipalityId: value<number>(),
  /** Each plate once, with an instant and the number of the batch's rows that name it. */
  plates: value<Json<readonly PlateTuple[]>>(),
  max: value<number>(),
  /** The most ends to read of a plate. */
  maxRead: value<number>(),
};
type PlateTuple = readonly [plate: string, since: number, rows: number];

const session = alias(parkingSessions, 'session');
const span = alias(subscriptionPlates, 'span');
const subscription = alias(subscriptions, 'subscription');

/** A plate near its bound. */
interface EndsRow {
  readonly plate: string;
  /** The ends of its stored rows that are later than the plate's instant. */
  readonly ends: Json<number[]>;
}

type OfPlates = Parameters<ValuesOf<typeof OF_PLATES>>;

/** With the batch's rows, a plate with so many others may have too many. */
const isNear = (stored: SQL, rows: SQL, { max }: OfPlates): SQL => sql`${stored} >= ${max} - ${rows}`;

/** @param ends a select of the ends of a line's plate, each as `"end"` */
const statementsOf = (ends: (values: OfPlates) => SQL) => ({
  read: statement(
    OF_PLATES,
    (values) => sql<EndsRow>`
  select plate, ends from (
    select ${lineAt(0)} as plate, ${lineAt(2)} as rows_of_batch, (
      select json_group_array("end") from (${ends(values)}
        limit ${values.maxRead}
      )
    ) as ends
    from json_each(${values.plates}) as line
  )
  where ${isNear(sql`json_array_length(ends)`, sql`rows_of_batch`, values)}`,
  ),
  /** Undoes the transaction if a plate comes near the bound. Run it before the rows are stored. */
  guard: statement(
    OF_PLATES,
    (values) => sql`
  select ${undo('near_bound')}
  from json_each(${values.plates}) as line
  where ${isNear(
    sql`(select count(*) from (${ends(values)}
        limit ${values.maxRead}
      ))`,
    lineAt(2),
    values,
  )}`,
  ),
});

/** When the sessions of plates end. */
const SESSION_ENDS = statementsOf(
  ({ municipalityId }) => sql`
        select ${session.runsUntil} as "end"
        from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
        where ${session.municipalityId} = ${municipalityId}
          and ${session.plate} = ${lineAt(0)}
          and ${session.runsUntil} > ${lineAt(1)}`,
);

/** When the subscriptions of plates are over. */
const SUBSCRIPTION_ENDS = statementsOf(
  ({ municipalityId }) => sql`
        select ${subscription.overAt} as "end"
        from (
          select ${span.subscriptionId} as id
          from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
          where ${span.municipalityId} = ${municipalityId}
            and ${span.plate} = ${lineAt(0)}
          limit ${literal(MAX_SPANS)}
        ) as held
        cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = held.id
        where "end" > ${lineAt(1)}
        group by ${subscription.id}`,
);

/** A batch's change of a row. `before` is null for a new row. */
interface RowChange<Row> {
  readonly before: Row | null;
  readonly after: Row;
}

/** Keeps the bound on a plate's rows, for one kind of import. */
export interface PlateBound<Row> {
  /**
   * The statement that undoes a batch in which a plate comes near the bound; no statement if no row counts. This is rare. If it
   * happens, call {@link PlateBound.findCrowded} for the rows that are too many.
   */
  guard(changes: readonly RowChange<Row>[]): readonly D1PreparedStatement[];
  /** Returns the keys of the rows that are too many for their plate. */
  findCrowded(changes: readonly RowChange<Row>[]): Promise<ReadonlySet<string>>;
}

type Uncounted = Omit<CrowdedRow, 'stored'>;

/** @param rowsOf returns the rows that count for the changes' plates */
function plateBound<Row>(
  db: D1Database,
  municipalityId: number,
  { read, guard }: ReturnType<typeof statementsOf>,
  max: number,
  rowsOf: (changes: readonly RowChange<Row>[]) => readonly Uncounted[],
): PlateBound<Row> {
  const valuesOf = (rows: readonly Uncounted[]) => {
    const plates = tuplesOf(rows);
    return plates.length === 0
      ? null
      : { municipalityId, plates: json(plates), max, maxRead: max + rows.length + 1 };
  };
  return {
    guard: (changes) => {
      const values = valuesOf(rowsOf(changes));
      return values === null ? [] : [guard.prepare(db, values)];
    },
    findCrowded: async (changes) => {
      const rows = rowsOf(changes);
      const values = valuesOf(rows);
      const { results } = values === null ? { results: [] } : await all(read.prepare(db, values));
      const ends = new Map(results.map((row) => [row.plate, parsed(row.ends)]));
      const near = rows.filter(({ plate }) => ends.has(plate));
      return crowdedKeys(
        near.map((row) => ({ ...row, stored: countLater(ends.get(row.plate) ?? [], row.since) })),
        max,
      );
    },
  };
}

/** Each plate once, however many rows name it. Leaves out plates whose rows are all exempt. */
function tuplesOf(rows: readonly Uncounted[]): PlateTuple[] {
  const earliest = new Map<string, number>();
  for (const { plate, since, isExempt } of rows) {
    if (!isExempt) {
      earliest.set(plate, Math.min(since, earliest.get(plate) ?? since));
    }
  }
  const count = new Map<string, number>();
  for (const { plate } of rows) {
    count.set(plate, (count.get(plate) ?? 0) + 1);
  }
  return [...earliest].map(([plate, since]) => [plate, since, count.get(plate) ?? 0]);
}

const countLater = (ends: readonly number[], since: number): number =>
  ends.reduce((count, end) => (end > since ? count + 1 : count), 0);

/** The bound on sessions of a plate. */
export const sessionBound = (db: D1Database, municipalityId: number): PlateBound<SessionRow> =>
  plateBound(db, municipalityId, SESSION_ENDS, MAX_PLATE_SESSIONS, (changes) =>
    changes.map(({ before, after }) => ({
      key: after.sessionId,
      plate: after.plate,
      since: after.startsAt - CROWD_WINDOW_MS,
      until: after.endsAt ?? OPEN_END,
      storedUntil: before !== null && before.plate === after.plate ? (before.endsAt ?? OPEN_END) : null,
      isExempt: before !== null && keepsPlaceOfSession(before, after),
    })),
  );

/** The bound on subscriptions that name a plate. */
export const subscriptionBound = (
  db: D1Database,
  municipalityId: number,
  now: Instant,
): PlateBound<SubscriptionRow> =>
  plateBound(db, municipalityId, SUBSCRIPTION_ENDS, MAX_PLATE_SUBSCRIPTIONS, (changes) =>
    changes.flatMap(({ before, after }) => {
      const until = overAt(after, now);
      const held = new Set(platesOf(before));
      const storedUntil = before === null ? null : overAt(before, now);
      return [...new Set(platesOf(after))].map((plate) => {
        const counted = held.has(plate) ? storedUntil : null;
        return {
          key: after.subscriptionNumber,
          plate,
          since: now,
          until,
          storedUntil: counted,
          // It counts already, or will not count.
          isExempt: (counted !== null && counted > now) || until <= now,
        };
      });
    }),
  );

const platesOf = (row: SubscriptionRow | null): string[] => row?.plates.map(({ plate }) => plate) ?? [];

/** When a subscription that changes now is over. */
const overAt = (row: SubscriptionRow, now: Instant): number =>
  subscriptionOverAt({ ...row, lastPeriodEndsAt: coveredUntil(row.periods).at(-1) ?? null, changedAt: now });
