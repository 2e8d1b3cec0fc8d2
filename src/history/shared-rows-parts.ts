import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { journal } from '../db/schema/index.ts';
import { literal, tableAs } from '../db/sql.ts';
import { SUBSCRIPTION_FIELDS } from './recorded.ts';

/**
 * What the plates of a subscription share is stored once a change: in a shared row, which has no plate and comes before the rows of
 * the plates. The record of such a plate's row is its own entries alone.
 */
const shared = alias(journal, 'shared');

/** The journal, under any alias. */
export type JournalRow = Readonly<
  Record<'municipalityId' | 'key' | 'sequence' | 'requestId' | 'record', SQLWrapper>
>;

/** A record up to this size is read to see what it is. The size of a longer one is in its row. */
const SMALL_BYTES = literal(1024);

/** A field of a record, as a path of JSON. */
export const inRecord = (field: (typeof SUBSCRIPTION_FIELDS)[number]): SQL =>
  sql.raw(`'$[${SUBSCRIPTION_FIELDS.indexOf(field)}]'`);

/** Whether a record is a plate's own entries alone: no other record begins with a list in a list. */
const hasOwnEntriesAlone = ({ record }: JournalRow): SQL => sql`substr(${record}, 1, 2) = '[['`;

/** A value of the shared row that a plate's row rests on: the newest one before it. Null where there is none. */
const ofSharedRow = <Value>(row: JournalRow, value: SQL<Value>): SQL<Value | null> =>
  sql`(select ${value} from ${tableAs(journal, shared, 'journal_by_title')}
    where ${shared.municipalityId} = ${row.municipalityId} and ${shared.kind} = 'subscription' and ${shared.key} = ${row.key}
      and ${shared.plate} is null and ${shared.sequence} < ${row.sequence} order by ${shared.sequence} desc limit 1)`;

/**
 * The record of any row, whole, as text: without `|| ''` SQLite would put it into other JSON as a list. Null, as where the plate has
 * left, where the shared row has gone: both are past their retention.
 */
export const wholeRecord = (row: JournalRow): SQL<string | null> =>
  sql`iif(${hasOwnEntriesAlone(row)}, ${ofSharedRow(row, sql`json_set(${shared.record}, ${inRecord('plates')}, json(${row.record})) || ''`)}, ${row.record})`;

const sizeOf = (record: SQLWrapper): SQL<number> => sql`coalesce(octet_length(${record}), 0)`;

/** Whether a record is small, and is whole as it stands in its row. */
const isSmallAndWhole = (row: JournalRow): SQL =>
  sql`(${sizeOf(row.record)} <= ${SMALL_BYTES} and not ${hasOwnEntriesAlone(row)})`;

/** A record that is small and whole; of others null, until it is known whether they are answered. */
export const smallRecord = (row: JournalRow): SQL<string | null> =>
  sql`iif(${isSmallAndWhole(row)}, ${row.record}, null)`;

/** The size of the shared row before a row. 0 where it is of another import: the row does not rest on it. */
const sharedBytes = ({ requestId }: JournalRow): SQL<number> =>
  sql`iif(${shared.requestId} is ${requestId}, ${sizeOf(shared.record)}, 0)`;

/** How large a whole record is: 0 where there is none. */
export const recordBytes = (row: JournalRow): SQL<number> =>
  sql`(${sizeOf(row.record)} + iif(${row.record} is null or ${isSmallAndWhole(row)}, 0, coalesce(${ofSharedRow(row, sharedBytes(row))}, 0)))`;

/** Whether a row is about a plate, or has lost what it was about. */
export const isNotShared = ({ key, plate }: Readonly<Record<'key' | 'plate', SQLWrapper>>): SQL =>
  sql`(${plate} is not null or ${key} is null)`;
