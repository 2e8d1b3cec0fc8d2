import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import { inOrder, type SubscriptionRow } from './subscription-line.ts';

/** A row a subscription; its lists as JSON, so that all of a batch is one statement. */
const READ = `
select s.subscription_number, s.type_id, s.approval, s.authorized_from, s.authorized_until,
  s.suspended_from, s.suspended_until, s.revoked_at, s.all_areas,
  (select json_group_array(json_array(p.plate, p.valid_from, p.valid_until))
    from subscription_plates as p where p.subscription_id = s.id) as plates,
  (select json_group_array(json_array(p.starts_at, p.ends_at))
    from subscription_periods as p where p.subscription_id = s.id) as periods,
  (select json_group_array(a.area_id)
    from subscription_areas as a where a.subscription_id = s.id) as areas
from json_each(?2) as wanted
cross join subscriptions as s on s.municipality_id = ?1 and s.subscription_number = wanted.value`;

/** The stored subscriptions of the lines in the second parameter. */
const OF_LINES = `
from json_each(?2) as line
cross join subscriptions as s on s.municipality_id = ?1 and s.subscription_number = line.value ->> 0`;

/** The subscriptions themselves, then their lists, emptied and filled: every one is replaced as a whole. */
const WRITES = [
  `insert into subscriptions
  (municipality_id, subscription_number, type_id, approval, authorized_from, authorized_until,
    suspended_from, suspended_until, revoked_at, all_areas, changed_at)
select ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
  value ->> 8, value ->> 12
from json_each(?2)
where true
on conflict (municipality_id, subscription_number) do update set
  type_id = excluded.type_id,
  approval = excluded.approval,
  authorized_from = excluded.authorized_from,
  authorized_until = excluded.authorized_until,
  suspended_from = excluded.suspended_from,
  suspended_until = excluded.suspended_until,
  revoked_at = excluded.revoked_at,
  all_areas = excluded.all_areas,
  changed_at = excluded.changed_at`,
  `delete from subscription_plates where subscription_id in (select s.id ${OF_LINES})`,
  `delete from subscription_periods where subscription_id in (select s.id ${OF_LINES})`,
  `delete from subscription_areas where subscription_id in (select s.id ${OF_LINES})`,
  `insert into subscription_plates (subscription_id, municipality_id, plate, valid_from, valid_until)
select s.id, ?1, item.value ->> 0, item.value ->> 1, item.value ->> 2 ${OF_LINES}
cross join json_each(line.value, '$[9]') as item`,
  `insert into subscription_periods (subscription_id, starts_at, ends_at)
select s.id, item.value ->> 0, item.value ->> 1 ${OF_LINES}
cross join json_each(line.value, '$[10]') as item`,
  `insert into subscription_areas (subscription_id, area_id)
select s.id, item.value ${OF_LINES}
cross join json_each(line.value, '$[11]') as item`,
];

interface StoredSubscription {
  readonly subscription_number: string;
  readonly type_id: number;
  /** One of the closed union: the table's CHECK holds it. */
  readonly approval: SubscriptionRow['approval'];
  readonly authorized_from: number | null;
  readonly authorized_until: number | null;
  readonly suspended_from: number | null;
  readonly suspended_until: number | null;
  readonly revoked_at: number | null;
  readonly all_areas: number;
  readonly plates: string;
  readonly periods: string;
  readonly areas: string;
}

/** The subscriptions of these numbers that are stored, by number. */
export async function readSubscriptions(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
): Promise<Map<string, SubscriptionRow>> {
  const { results } = await db
    .prepare(READ)
    .bind(municipalityId, JSON.stringify(numbers))
    .all<StoredSubscription>();
  return new Map(results.map((row) => [row.subscription_number, rowOf(row)]));
}

/**
 * Stores subscriptions, new ones and changed ones, each of them whole, all or none of them. May be done twice.
 *
 * @param changedAt the call's instant, kept as that of their last change
 */
export async function writeSubscriptions(
  db: D1Database,
  municipalityId: number,
  rows: readonly SubscriptionRow[],
  changedAt: Instant,
): Promise<void> {
  const values = JSON.stringify(rows.map((row) => [...valuesOf(row), changedAt]));
  await db.batch(WRITES.map((sql) => db.prepare(sql).bind(municipalityId, values)));
}

function valuesOf(row: SubscriptionRow): unknown[] {
  return [
    row.subscriptionNumber,
    row.typeId,
    row.approval,
    row.authorizedFrom,
    row.authorizedUntil,
    row.suspendedFrom,
    row.suspendedUntil,
    row.revokedAt,
    row.areas === 'all' ? 1 : 0,
    row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
    row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
    row.areas === 'all' ? [] : row.areas,
  ];
}

function rowOf(row: StoredSubscription): SubscriptionRow {
  return inOrder({
    subscriptionNumber: row.subscription_number,
    typeId: row.type_id,
    approval: row.approval,
    authorizedFrom: nullableInstant(row.authorized_from),
    authorizedUntil: nullableInstant(row.authorized_until),
    suspendedFrom: nullableInstant(row.suspended_from),
    suspendedUntil: nullableInstant(row.suspended_until),
    revokedAt: nullableInstant(row.revoked_at),
    plates: list<[string, number | null, number | null]>(row.plates).map(([plate, from, until]) => ({
      plate: storedPlate(plate),
      validFrom: nullableInstant(from),
      validUntil: nullableInstant(until),
    })),
    periods: list<[number, number]>(row.periods).map(([from, until]) => ({
      startsAt: instant(from),
      endsAt: instant(until),
    })),
    areas: row.all_areas === 1 ? 'all' : list<number>(row.areas),
  });
}

/** A list that the statement above has made: its items are of the shape that its select names. */
function list<Item>(json: string): Item[] {
  return JSON.parse(json);
}
