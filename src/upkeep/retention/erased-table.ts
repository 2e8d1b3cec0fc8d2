import { lt, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import {
  ERASED_KINDS,
  erasedPlates,
  erasureKeys,
  erasures,
  erasuresForBackups,
} from '../../storage/db/schema/erasure.ts';
import { bare, primaryKeyOf, tableAs, tableByIndex } from '../../storage/db/sql.ts';
import { isNotMoving } from '../../storage/db/writable.ts';
import type { ErasedFrom } from '../../storage/plate-digest/erased-plate.ts';
import type { Past } from './deletion-parts.ts';

const erased = alias(erasedPlates, 'erased');
const LAST = sql`(select max(${erased.id}) from ${tableAs(erasedPlates, erased)})`;

/** Deletes digests of erased plates once the rows they guard are past their retention, a batch of both kinds. */
export function deletePastErased(past: Past, rows: number): SQL {
  const ofKind = (kind: ErasedFrom['kind']): SQL => sql`select * from (
    select ${erasedPlates.id} from ${tableByIndex(erasedPlates, 'erased_plates_by_end')} where ${erasedPlates.kind} = ${kind}
      and ${erasedPlates.guardsUntil} < ${past[kind]} and ${erasedPlates.id} < ${LAST}
      and ${isNotMoving(erasedPlates.municipalityId)} limit ${rows})`;
  return sql`
delete from ${erasedPlates} where ${erasedPlates.id} in (
  ${sql.join(ERASED_KINDS.map(ofKind), sql` union all `)} limit ${rows}) returning 1 as deleted`;
}

/** Empties the newest row but keeps its number: imports remember the last erasure that they have seen by it. */
export const blankNewestErased = (past: Past): SQL => sql`
update ${erasedPlates} set ${bare(erasedPlates.key)} = '', ${bare(erasedPlates.pseudonym)} = null,
  ${bare(erasedPlates.digest)} = cast(${erasedPlates.id} as text)
where ${erasedPlates.id} = ${LAST} and ${erasedPlates.key} <> '' and ${isNotMoving(erasedPlates.municipalityId)}
  and ${erasedPlates.guardsUntil} < iif(${erasedPlates.kind} = 'subscription', ${past.subscription}, ${past.parking_session})`;

const KEYS = tableByIndex(erasureKeys, primaryKeyOf(erasureKeys));

/** Deletes the unmasked keys of abandoned erasures: no call is left to mask them in. */
export const deleteAbandonedKeys = (before: Instant, rows: number): SQL => sql`
delete from ${erasureKeys} where rowid in (
  select ${erasureKeys}.rowid from ${erasures}
  cross join ${KEYS} on ${erasureKeys.digest} = ${erasures.digest} where ${erasures.at} < ${before} limit ${rows})
returning 1 as deleted`;

/** Run it after {@link deleteAbandonedKeys}. */
export const deleteAbandoned = (before: Instant, rows: number): SQL => sql`
delete from ${erasures} where ${erasures.digest} in (
  select ${erasures.digest} from ${erasures} where ${erasures.at} < ${before}
    and not exists (select 1 from ${KEYS} where ${erasureKeys.digest} = ${erasures.digest}) limit ${rows})
returning 1 as deleted`;

/** Deletes the home's record of erasures, for backups that are too old to be restored. */
export async function deleteOldErasures(home: D1Database, before: Instant): Promise<void> {
  await drizzle(home).delete(erasuresForBackups).where(lt(erasuresForBackups.at, before));
}
