import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { undo } from '../../storage/db/guards.ts';
import { changesByDay, municipalities } from '../../storage/db/schema/index.ts';
import { bare, list, primaryKeyOf, tableAs } from '../../storage/db/sql.ts';
import { first, select, statement, value } from '../../storage/db/statement.ts';
import type { BatchCount } from './day-room.ts';

const municipality = alias(municipalities, 'municipality');
const changesOfDay = alias(changesByDay, 'changes_of_day');

const READ_STORED = statement(
  { municipalityId: value<number>(), day: value<number>() },
  ({ municipalityId, day }) =>
    select(
      {
        used: sql<number>`coalesce(${changesOfDay.changes}, 0)`,
      },
      sql`
  from ${tableAs(municipalities, municipality)}
  left join ${tableAs(changesByDay, changesOfDay, primaryKeyOf(changesByDay))}
    on ${changesOfDay.day} = ${day}
    and ${changesOfDay.tenantId} = ${municipality.tenantId}
  where ${municipality.id} = ${municipalityId}`,
    ),
);

/** Reads how much the municipality's tenant has stored in a day. */
export async function readStoredOn(db: D1Database, municipalityId: number, day: number): Promise<number> {
  const row = await first(READ_STORED.prepare(db, { municipalityId, day }));
  if (row === null) {
    throw new Error(`there is no municipality ${municipalityId}`);
  }
  return row.used;
}

const COUNT_CHANGES = statement(
  {
    municipalityId: value<number>(),
    day: value<number>(),
    count: value<number>(),
    maxBefore: value<number | null>(),
  },
  ({ municipalityId, day, count, maxBefore }) => {
    const stored = sql`${changesByDay}.${bare(changesByDay.changes)}`;
    return sql`
  insert into ${changesByDay} (${list([changesByDay.day, changesByDay.tenantId, changesByDay.changes].map(bare))})
  select ${day}, ${municipality.tenantId}, ${count}
  from ${tableAs(municipalities, municipality)}
  where ${municipality.id} = ${municipalityId}
  on conflict (${list([changesByDay.day, changesByDay.tenantId].map(bare))}) do update
  set ${bare(changesByDay.changes)} = iif(
    ${maxBefore} is null or ${stored} <= ${maxBefore},
    ${stored} + excluded.${bare(changesByDay.changes)},
    ${undo('no_room')})`;
  },
);

/**
 * The statement that counts what a batch stores. It undoes the batch if other imports have used up its room meanwhile.
 */
export const countStatement = (
  db: D1Database,
  municipalityId: number,
  { day, count, maxBefore }: BatchCount,
): D1PreparedStatement =>
  COUNT_CHANGES.prepare(db, {
    ...{ municipalityId, day, count },
    maxBefore: Number.isFinite(maxBefore) ? maxBefore : null,
  });
