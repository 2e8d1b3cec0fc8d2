import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { newestOfPlate } from '../db/journal-sql.ts';
import { journal } from '../db/schema/index.ts';
import { aliased, columns, jsonArray, parameter, type RowOf, statement, type TupleOf } from '../db/sql.ts';

const MUNICIPALITY = parameter(1);
const AREA = parameter(2);
/** The journal's rows after the first, up to the second. */
const SINCE = parameter(3);
const UP_TO = parameter(4);
const MOST = parameter(5);

const recorded = alias(journal, 'recorded');
const previous = alias(journal, 'previous');

const ROW = {
  sequence: recorded.sequence,
  kind: recorded.kind,
  source_code: recorded.sourceCode,
  key: recorded.key,
  plate: recorded.plate,
  came_with: recorded.cameWith,
  record: recorded.record,
} as const;

const BEFORE = [previous.sequence, previous.plate, previous.cameWith, previous.record] as const;
export type BeforeTuple = TupleOf<typeof BEFORE>;

/** A row of the journal. `before`: the newest row of the same right before the changes, as JSON of the tuple. */
export type ChangeRow = RowOf<typeof ROW> & { readonly before: string | null };

/** The next rows of one index, in the order of the sequence. */
const next = (condition: SQL): SQL => sql`select * from (
    select ${columns(ROW)} from ${aliased(journal, recorded)}
    where ${recorded.municipalityId} = ${MUNICIPALITY} and ${condition} and ${recorded.sequence} > ${SINCE} and ${recorded.sequence} <= ${UP_TO}
    order by ${recorded.sequence} limit ${MOST}
  )`;

const KEY = sql.raw('changed.key');
const isBefore = sql`and ${previous.sequence} <= ${SINCE}`;

const BEFORE_OF_SESSION = sql`(
  select ${jsonArray(BEFORE)} from ${aliased(journal, previous, 'journal_by_key')}
  where ${previous.municipalityId} = ${MUNICIPALITY} and ${previous.sourceCode} = changed.source_code and ${previous.key} = ${KEY}
    and ${previous.kind} = 'parking_session' ${isBefore}
  order by ${previous.sequence} desc limit 1
)`;

const BEFORE_OF_PLATE = newestOfPlate(
  previous,
  { municipality: MUNICIPALITY, number: KEY, plate: sql.raw('changed.plate') },
  sql`${jsonArray(BEFORE)}`,
  isBefore,
);

/**
 * What has changed in a facility: the rows of sessions that are or were there, and of the municipality's subscriptions, each
 * with the state before it. Rows of a session have the same key, those of a subscription the same key and plate.
 */
export const READ_CHANGES = statement(
  () => sql`
select changed.*, iif(changed.kind = 'subscription', ${BEFORE_OF_PLATE}, ${BEFORE_OF_SESSION}) as before
from (
  ${next(sql`${recorded.areaId} = ${AREA}`)}
  union all
  ${next(sql`${recorded.leftAreaId} = ${AREA}`)}
  union all
  ${next(sql`${recorded.kind} = 'subscription'`)}
  order by sequence limit ${MOST}
) as changed`,
);
