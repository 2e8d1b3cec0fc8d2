import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { undo } from '../db/guards.ts';
import { changesByDay, municipalities, tenants } from '../db/schema/index.ts';
import { bare, columns, list, parameter, primaryKeyOf, type RowOf, statement, tableAs } from '../db/sql.ts';
import { ifKnownSchema } from '../db/writable.ts';
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
 * Counts what a batch is about to change. It comes first in the batch's transaction, and undoes it where others have stored
 * so much meanwhile that the batch has no room, or where the schema has outgrown this version. What is stored already, since
 * an answer was lost, is not counted again.
 *
 * @param changes a select of the lines that will change anything
 */
export const countChanges = (
  municipalityId: SQL,
  { day, count, maxBefore }: { readonly day: SQL; readonly count: SQL; readonly maxBefore: SQL },
  changes: SQL,
): SQL => {
  const stored = sql`${changesByDay}.${bare(changesByDay.changes)}`;
  return sql`
insert into ${changesByDay} (${list([changesByDay.day, changesByDay.tenantId, changesByDay.changes].map(bare))})
select ${day}, ${ifKnownSchema(municipality.tenantId)}, ${count} from ${tableAs(municipalities, municipality)}
where ${municipality.id} = ${municipalityId} and exists (${changes})
on conflict (${list([changesByDay.day, changesByDay.tenantId].map(bare))}) do update set
  ${bare(changesByDay.changes)} = iif(${maxBefore} is null or ${stored} <= ${maxBefore}, ${stored} + excluded.${bare(changesByDay.changes)}, ${undo('no_room')})`;
};

/** The parameters of {@link countChanges}. */
export const countParameters = ({ day, count, maxBefore }: BatchCount): (number | null)[] => [
  day,
  count,
  Number.isFinite(maxBefore) ? maxBefore : null,
];
