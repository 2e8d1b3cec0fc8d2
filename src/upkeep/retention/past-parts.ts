import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { isNotRestoring } from '../../storage/db/restoring.ts';
import { changes, configurationVersions, municipalities } from '../../storage/db/schema/index.ts';
import { bare, list, primaryKeyOf, tableAs, tableByIndex } from '../../storage/db/sql.ts';
import { keyOf, type Over, type StoredTable, tableByKey } from '../../storage/db/stored-table.ts';
import { counted, type Past, type Statement, uncounted } from './deletion-parts.ts';

/** @param select selects the columns of the primary key */
export const deleteKeys = (table: SQLiteTable, select: SQL): SQL =>
  sql`delete from ${tableByKey(table)} where (${list(keyOf(table))}) in (${select}) returning 1 as deleted`;

const CHANGES = tableByIndex(changes, primaryKeyOf(changes));
const municipality = alias(municipalities, 'municipality');

/**
 * Records that the past before this instant is gone: a gate whose list is older than the newest change before it takes the full
 * list again. Run it before the deletions.
 */
export const forgetBefore = (before: Instant): Statement =>
  uncounted(sql`update ${municipalities} set ${bare(municipalities.pastSince)} = newest.at from (
    select ${municipality.id} as id, (select max(${changes.recordedAt}) from ${CHANGES}
      where ${changes.municipalityId} = ${municipality.id} and ${changes.recordedAt} < ${before}) as at
    from ${tableAs(municipalities, municipality)}
    where ${isNotRestoring(municipality.id)}
  ) as newest where ${municipalities.id} = newest.id and ${municipalities.pastSince} < newest.at`);

/** Deletes rows of a table that were over before an instant. Rows kept for a day are deleted even during a restore. */
export function deleteOver(
  { table, owner, takesAlong }: StoredTable,
  { kept, at, index }: Over,
  past: Past,
  rows: number,
): readonly Statement[] {
  const indexed = tableByIndex(table, index);
  if (kept === 'rejected') {
    return [
      counted(sql`delete from ${table} where rowid in (
        select rowid from ${indexed} where ${at} < ${past[kept]} limit ${rows})
        returning 1 as deleted`),
    ];
  }
  const gone = sql`select ${list(keyOf(table))} from ${municipalities} cross join ${indexed}
            on ${owner} = ${municipalities.id} and ${at} < ${past[kept]}
            where ${isNotRestoring(municipalities.id)} limit ${rows}`;
  return [
    ...(takesAlong === undefined
      ? []
      : [
          uncounted(
            sql`delete from ${tableByKey(takesAlong.table)} where (${list(takesAlong.by)}) in (${gone}) returning 1 as deleted`,
          ),
        ]),
    counted(deleteKeys(table, gone)),
  ];
}

const older = alias(changes, 'older');
const version = alias(configurationVersions, 'version');

/** Deletes changes, but never the newest of a municipality: the next one counts from it. */
export const deleteChanges = (before: Instant, rows: number): Statement =>
  counted(
    deleteKeys(
      changes,
      sql`select ${older.municipalityId}, ${older.recordedAt} from ${municipalities} cross join ${tableAs(changes, older, primaryKeyOf(changes))}
        on ${older.municipalityId} = ${municipalities.id} and ${older.recordedAt} < min(${before},
          (select max(${changes.recordedAt}) from ${CHANGES} where ${changes.municipalityId} = ${municipalities.id}))
        where ${isNotRestoring(municipalities.id)} limit ${rows}`,
    ),
  );

/** Deletes configurations whose successor is older than an instant. */
export const deleteConfigurations = (before: Instant, rows: number): Statement =>
  counted(
    deleteKeys(
      configurationVersions,
      sql`select ${version.municipalityId}, ${version.recordedAt}, ${version.part} from ${municipalities}
        cross join ${tableAs(configurationVersions, version, primaryKeyOf(configurationVersions))} on ${version.municipalityId} = ${municipalities.id} and ${version.recordedAt} < (
          select max(${configurationVersions.recordedAt}) from ${tableByIndex(configurationVersions, primaryKeyOf(configurationVersions))}
          where ${configurationVersions.municipalityId} = ${municipalities.id} and ${configurationVersions.recordedAt} < ${before})
        where ${isNotRestoring(municipalities.id)} limit ${rows}`,
    ),
  );
