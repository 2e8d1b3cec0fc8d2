import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { newestOfPlate, plateOf } from '../db/journal-sql.ts';
import { journal } from '../db/schema/index.ts';
import {
  bare,
  columns,
  jsonArray,
  list,
  literal,
  parameter,
  type RowOf,
  statement,
  type TupleOf,
  tableAs,
} from '../db/sql.ts';
import { isNotShared, recordBytes, smallRecord, wholeRecord } from '../history/shared-rows-parts.ts';

const MUNICIPALITY = parameter(1);
const AREA = parameter(2);
/** The journal's rows after the first, up to the second. */
const SINCE = parameter(3);
const UP_TO = parameter(4);
const LIMIT = parameter(5);

const MAX_BYTES = parameter(6);

const recorded = alias(journal, 'recorded');
const previous = alias(journal, 'previous');
const answered = alias(journal, 'answered');

const recordOf = (sequence: SQL): SQL =>
  sql`(select ${wholeRecord(answered)} from ${tableAs(journal, answered)} where ${answered.sequence} = ${sequence})`;

const ROW = {
  sequence: recorded.sequence,
  kind: recorded.kind,
  source_code: recorded.sourceCode,
  key: recorded.key,
  plate: plateOf(recorded),
  came_with: recorded.cameWith,
  record: smallRecord(recorded),
  first_record: recorded.firstRecord,
} as const;

const BEFORE = [previous.sequence, plateOf(previous), previous.cameWith, smallRecord(previous)] as const;
/** Where such a tuple has its record, and behind it how large that is. */
const [RECORD, SIZE] = [BEFORE.length - 1, BEFORE.length];
export type BeforeTuple = TupleOf<typeof BEFORE>;
const BEFORE_AND_SIZE = jsonArray([...BEFORE, recordBytes(previous)]);

/**
 * A row of the journal, and the `bytes` of its record and of the one before. `before`: the newest row of the same right before
 * the changes, as JSON that begins with the tuple.
 */
export type ChangeRow = RowOf<typeof ROW> & { readonly before: string | null; readonly bytes: number };

/** The next rows of one index, in the order of the sequence. */
const next = (condition: SQL): SQL => sql`select * from (
    select ${columns({ ...ROW, size: recordBytes(recorded) })} from ${tableAs(journal, recorded)}
    where ${recorded.municipalityId} = ${MUNICIPALITY} and ${condition} and ${recorded.sequence} > ${SINCE} and ${recorded.sequence} <= ${UP_TO}
    order by ${recorded.sequence} limit ${LIMIT}
  )`;

const KEY = sql.raw('changed.key');
const isBefore = sql`and ${previous.sequence} <= ${SINCE}`;

const BEFORE_OF_SESSION = sql`(
  select ${BEFORE_AND_SIZE} from ${tableAs(journal, previous, 'journal_by_key')}
  where ${previous.municipalityId} = ${MUNICIPALITY} and ${previous.sourceCode} = changed.source_code and ${previous.key} = ${KEY}
    and ${previous.kind} = 'parking_session' ${isBefore}
  order by ${previous.sequence} desc limit 1
)`;

/** What it was first stored as, where no earlier row says so: while it was on a street, no list had it. */
const FIRST_OF_SESSION = sql.raw(
  `iif(changed.first_record is null, null, json_array(0, changed.plate, null, changed.first_record, octet_length(changed.first_record)))`,
);

const BEFORE_OF_PLATE = newestOfPlate(
  previous,
  { municipality: MUNICIPALITY, number: KEY, plate: sql.raw('changed.plate') },
  BEFORE_AND_SIZE,
  isBefore,
);

const OTHER_COLUMNS = list(
  Object.keys(ROW)
    .filter((name) => name !== 'record')
    .map((name) => bare({ name })),
);
const SIZE_BEFORE = sql.raw(`coalesce(before ->> ${SIZE}, 0)`);

/**
 * What has changed in a facility: the rows of sessions that are or were there, and of the municipality's subscriptions, each
 * with the state before it. Rows of a session have the same key, those of a subscription the same key and plate. They end with
 * the one whose records go beyond the most bytes.
 */
export const READ_CHANGES = statement(
  () => sql`
select ${OTHER_COLUMNS}, size + ${SIZE_BEFORE} as bytes,
  iif(size > 0 and record is null, ${recordOf(sql.raw('page.sequence'))}, record) as record,
  iif(${SIZE_BEFORE} > 0 and before ->> ${literal(RECORD)} is null,
    json_set(before, ${sql.raw(`'$[${RECORD}]'`)}, ${recordOf(sql.raw('(before ->> 0)'))}), before) as before
from (
  select *, coalesce(sum(size + ${SIZE_BEFORE})
    over (order by sequence rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (
    select changed.*, iif(changed.kind = 'subscription', ${BEFORE_OF_PLATE},
      coalesce(${BEFORE_OF_SESSION}, ${FIRST_OF_SESSION})) as before
    from (
      ${next(sql`${recorded.areaId} = ${AREA}`)}
      union all
      ${next(sql`${recorded.leftAreaId} = ${AREA}`)}
      union all
      ${next(sql`${recorded.kind} = 'subscription' and ${isNotShared(recorded)}`)}
      order by sequence limit ${LIMIT}
    ) as changed
  )
) as page
where bytes_before < ${MAX_BYTES}
order by sequence`,
);
