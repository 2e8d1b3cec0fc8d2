import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal } from '../db/schema/index.ts';
import { aliased, columns, parameter, type RowOf, statement } from '../db/sql.ts';

const MUNICIPALITY = parameter(1);
const AREA = parameter(2);
/** Rows of the journal behind the first, up to the second. */
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

/** A row of the journal. `is_before`: it is not one of the changes, but the newest before them of what they are of. */
export type ChangeRow = RowOf<typeof ROW> & { readonly is_before: number };

/** The next rows of one index, in the order of the sequence. */
const next = (condition: SQL): SQL => sql`select * from (
    select ${j.sequence} as sequence from ${aliased(journal, j)}
    where ${j.municipalityId} = ${MUNICIPALITY} and ${condition} and ${j.sequence} > ${SINCE} and ${j.sequence} <= ${UP_TO}
    order by ${j.sequence} limit ${MOST}
  )`;

/** A session is of its key, whatever plate it has; a subscription's rows are of a plate each. */
const UNITS = sql`
  select ${j.kind} as kind, ${j.sourceCode} as source_code, ${j.key} as key,
    iif(${j.kind} = 'subscription', ${j.plate}, null) as plate
  from changes cross join ${aliased(journal, j)} on ${j.sequence} = changes.sequence
  group by 1, 2, 3, 4`;

const BEFORE = sql`(
  select ${p.sequence} from ${aliased(journal, p)}
  where ${p.municipalityId} = ${MUNICIPALITY} and ${p.sourceCode} is units.source_code and ${p.key} = units.key
    and ${p.kind} = units.kind and (units.plate is null or ${p.plate} = units.plate) and ${p.sequence} <= ${SINCE}
  order by ${p.sequence} desc limit 1
)`;

/**
 * What has changed in a facility: the rows of sessions that are or were there, and of the municipality's subscriptions; and of
 * each of these rights, how it stood before.
 */
export const READ_CHANGES = statement(
  () => sql`
with changes as materialized (
  select sequence from (
    ${next(sql`${j.areaId} = ${AREA}`)}
    union
    ${next(sql`${j.leftAreaId} = ${AREA}`)}
    union
    ${next(sql`${j.kind} = 'subscription'`)}
  ) order by sequence limit ${MOST}
),
units as materialized (${UNITS}),
told as (
  select sequence, 0 as is_before from changes
  union all
  select ${BEFORE}, 1 from units
)
select ${columns(ROW)}, told.is_before as is_before
from told cross join ${aliased(journal, j)} on ${j.sequence} = told.sequence
order by ${j.sequence}`,
);
