import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { undo } from '../../storage/db/guards.ts';
import { changesByDay, municipalities, tenants } from '../../storage/db/schema/index.ts';
import {
  bare,
  columns,
  list,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  tableAs,
} from '../../storage/db/sql.ts';
import { ifKnownSchema } from '../../storage/db/writable.ts';
import type { BatchCount, DayRoom } from './day-room.ts';

const municipality = alias(municipalities, 'municipality');
const tenant = alias(tenants, 'tenant');
const changesOfDay = alias(changesByDay, 'changes_of_day');

const SELECTION = {
  daily_changes: tenant.dailyChanges,
  used: sql<number>`coalesce(${changesOfDay.changes}, 0)`,
} as const;

const READ_ROOM = statement(
  () => sql`select ${columns(SELECTION)} from ${tableAs(municipalities, municipality)}
cross join ${tableAs(tenants, tenant)} on ${tenant.id} = ${municipality.tenantId}
left join ${tableAs(changesByDay, changesOfDay, primaryKeyOf(changesByDay))} on ${changesOfDay.day} = ${parameter(2)} and ${changesOfDay.tenantId} = ${municipality.tenantId}
where ${municipality.id} = ${parameter(1)}`,
);

/** What the municipality's tenant may store in a day, and what it has stored in this one, in the municipality's database. */
export async function readDayRoom(db: D1Database, municipalityId: number, day: number): Promise<DayRoom> {
  const { results } = await db.prepare(READ_ROOM()).bind(municipalityId, day).all<RowOf<typeof SELECTION>>();
  const [row] = results;
  if (row === undefined) {
    throw new Error(`there is no municipality ${municipalityId}`);
  }
  return { dailyChanges: row.daily_changes, used: row.used };
}

/**
 * Counts what a batch stores. It undoes the batch where others have stored so much meanwhile that it has no room, or where the
 * schema has outgrown this version. 1: the municipality; then {@link countParameters}.
 */
export const COUNT_CHANGES = statement(() => {
  const [day, count, maxBefore] = [parameter(2), parameter(3), parameter(4)];
  const stored = sql`${changesByDay}.${bare(changesByDay.changes)}`;
  return sql`
insert into ${changesByDay} (${list([changesByDay.day, changesByDay.tenantId, changesByDay.changes].map(bare))})
select ${day}, ${ifKnownSchema(municipality.tenantId)}, ${count} from ${tableAs(municipalities, municipality)}
where ${municipality.id} = ${parameter(1)}
on conflict (${list([changesByDay.day, changesByDay.tenantId].map(bare))}) do update set
  ${bare(changesByDay.changes)} = iif(${maxBefore} is null or ${stored} <= ${maxBefore}, ${stored} + excluded.${bare(changesByDay.changes)}, ${undo('no_room')})`;
});

/** The parameters of {@link COUNT_CHANGES}. */
export const countParameters = ({ day, count, maxBefore }: BatchCount): (number | null)[] => [
  day,
  count,
  Number.isFinite(maxBefore) ? maxBefore : null,
];
