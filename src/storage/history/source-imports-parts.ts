import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { ImportOutcome } from '../../domain/source-freshness.ts';
import { lastRecordedAt } from '../db/changes-sql.ts';
import { pastSourceImports, sourceImports, sources } from '../db/schema/index.ts';
import {
  bare,
  type Json,
  jsonArray,
  jsonRows,
  list,
  primaryKeyOf,
  type TupleOf,
  tableAs,
} from '../db/sql.ts';

const KEPT = ['sourceId', 'lastFinishedAt', 'lastOutcome', 'lastSuccessfulAt', 'recordedAt'] as const;
const PAST = [
  ...KEPT.map((name) => pastSourceImports[name]),
  pastSourceImports.replacedAt,
  pastSourceImports.municipalityId,
];

/** Keeps how a source's imports have stood until now. To be run before that changes. */
export const keepImport = (municipalityId: SQL, sourceId: SQL): SQL => sql`
  insert into ${pastSourceImports} (${list(PAST.map(bare))})
  select ${list(KEPT.map((name) => sourceImports[name]))}, ${lastRecordedAt(municipalityId)}, ${municipalityId}
  from ${sourceImports}
  where ${sourceImports.sourceId} = ${sourceId}`;

const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');
const pastImport = alias(pastSourceImports, 'past_import');

const importKnown = (at: SQL) => {
  const known = <Value>(name: 'lastOutcome' | 'lastSuccessfulAt') =>
    sql<Value>`iif(${lastImport.recordedAt} <= ${at}, ${lastImport[name]}, ${pastImport[name]})`;
  return [
    source.code,
    known<ImportOutcome | null>('lastOutcome'),
    known<number | null>('lastSuccessfulAt'),
  ] as const;
};
export type LastImportTuple = TupleOf<ReturnType<typeof importKnown>>;

/** The imports of each source, as known at an instant. */
export const importsKnown = (municipalityId: SQL, at: SQL): SQL<Json<LastImportTuple[]>> =>
  sql`${jsonRows(
    jsonArray(importKnown(at)),
    sql`
      from ${tableAs(sources, source)}
      left join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
      left join ${tableAs(pastSourceImports, pastImport, primaryKeyOf(pastSourceImports))}
        on ${pastImport.sourceId} = ${source.id}
        and ${pastImport.recordedAt} <= ${at}
        and ${pastImport.replacedAt} > ${at}
      where ${source.municipalityId} = ${municipalityId}`,
  )}`;
