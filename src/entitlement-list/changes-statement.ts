import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal } from '../db/schema/index.ts';
import { aliased, columns, jsonArray, parameter, type RowOf, statement, type TupleOf } from '../db/sql.ts';

const MUNICIPALITY = parameter(1);
const AREA = parameter(2);
/** The journal's rows after the first, up to the second. */
const SINCE = parameter(3);
const UP_TO = parameter(4);
const MOST = parameter(5);

const j = alias(journal, 'j');
const p = alias(journal, 'p');

const ROW = {
  sequence: j.sequence,
  kind: j.kind,
  source_code: j.sourceCode,
  key: j.key,
  plate: j.plate,
  came_with: j.cameWith,
  area_id: j.areaId,
  record: j.record,
} as const;

const BEFORE = [p.sequence, p.cameWith, p.areaId, p.record] as const;
export type BeforeTuple = TupleOf<typeof BEFORE>;

/** A row of the journal. `before`: the newest row of the same right before the changes, as JSON of the tuple. */
export type ChangeRow = RowOf<typeof ROW> & { readonly before: string | null };

/** The next rows of one index, in the order of the sequence. */
const next = (condition: SQL): SQL => sql`select * from (
    select ${columns(ROW)} from ${aliased(journal, j)}
    where ${j.municipalityId} = ${MUNICIPALITY} and ${condition} and ${j.sequence} > ${SINCE} and ${j.sequence} <= ${UP_TO}
    order by ${j.sequence} limit ${MOST}
  )`;

/**
 * What has changed in a facility: the rows of sessions that are or were there, and of the municipality's subscriptions,
 * each with its right's state before. A session is identified by its key alone, a subscription's row by key and plate.
 */
export const READ_CHANGES = statement(
  () => sql`
select changed.*, (
  select ${jsonArray(BEFORE)} from ${aliased(journal, p)}
  where ${p.municipalityId} = ${MUNICIPALITY} and ${p.sourceCode} is changed.source_code and ${p.key} = changed.key
    and ${p.kind} = changed.kind and (changed.kind <> 'subscription' or ${p.plate} = changed.plate) and ${p.sequence} <= ${SINCE}
  order by ${p.sequence} desc limit 1
) as before
from (
  ${next(sql`${j.areaId} = ${AREA}`)}
  union all
  ${next(sql`${j.leftAreaId} = ${AREA}`)}
  union all
  ${next(sql`${j.kind} = 'subscription'`)}
  order by sequence limit ${MOST}
) as changed`,
);
