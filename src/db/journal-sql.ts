import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { areas } from './schema/configuration.ts';
import { journal } from './schema/journal.ts';
import { parkingSessions } from './schema/sessions.ts';
import { bare, jsonArray, tableAs, uuidOf } from './sql.ts';

type JournalColumn = Exclude<keyof typeof journal.$inferInsert, 'sequence' | 'stamp'>;

/**
 * Appends to the journal, in the order of the rows of `from`.
 *
 * @param values of each row, by column; a column that is left out is null
 * @param from the rest of the select, from its `from` on
 */
export function appendToJournal(values: Readonly<Partial<Record<JournalColumn, SQL>>>, from: SQL): SQL {
  const columns = getTableColumns(journal);
  const names = (Object.keys(values) as JournalColumn[]).map((name) => sql.identifier(columns[name].name));
  return sql`insert into ${journal} (${sql.join(names, sql`, `)})
select ${sql.join(Object.values(values), sql`, `)} ${from}`;
}

/**
 * The instant of rows that are stored now: our clock, but never earlier than the newest row of all, so that it never
 * decreases along the sequence, whichever isolate's clock is behind.
 *
 * @param now the clock, read when the batch is sent
 */
export const recordedAt = (now: SQL): SQL => sql`max(${now}, coalesce(
  (select ${journal.recordedAt} from ${journal} where ${journal.sequence} = (select max(${journal.sequence}) from ${journal})), 0))`;

/** The call of a row as text: sessions and subscriptions have its 16 bytes, other rows and those of earlier versions the text. */
export const requestIdOf = (requestId: SQLWrapper): SQL<string | null> =>
  sql`iif(typeof(${requestId}) = 'blob', ${uuidOf(requestId)}, ${requestId})`;

/** The journal, under any alias. */
type JournalRow = Readonly<Record<'kind' | 'sourceCode' | 'key' | 'recordedAt' | 'sequence', SQLWrapper>>;
type AliasedJournal = SQLiteTable & JournalRow & Readonly<Record<'municipalityId' | 'plate', SQLWrapper>>;

const ofSession = alias(areas, 'of_session');

/** A session's record as it is now, a `SessionTuple`. Nulls at its end are left out. */
export const recordOf = (
  session: Readonly<Record<'areaId' | 'startsAt' | 'endsAt' | 'cancelledAt' | 'revision', SQLWrapper>>,
): SQL<string> =>
  sessionTuple(
    sql`(select ${ofSession.code} from ${tableAs(areas, ofSession)} where ${ofSession.id} = ${session.areaId})`,
    session,
  );

/** The same of any values. */
export function sessionTuple(
  areaCode: SQL,
  values: Readonly<Record<'startsAt' | 'endsAt' | 'cancelledAt' | 'revision', SQLWrapper>>,
): SQL<string> {
  const all = [areaCode, values.startsAt, values.endsAt, values.cancelledAt, values.revision];
  return sql`case when ${values.revision} is not null then ${jsonArray(all)}
  when ${values.cancelledAt} is not null then ${jsonArray(all.slice(0, 4))}
  else ${jsonArray(all.slice(0, 3))} end`;
}

/** The columns of a row that say what a session was stored as first, where no row says so yet. */
export const firstVersionOf = (session: WholeSession, isFirst = sql`true`) => ({
  firstAt: sql`iif(${isFirst}, ${session.knownAt}, null)`,
  firstBy: sql`iif(${isFirst}, ${session.knownBy}, null)`,
  firstRecord: sql`iif(${isFirst} and ${session.knownAt} is not null, ${recordOf(session)}, null)`,
});

/**
 * Appends the first versions of sessions that are about to go: since no row has them yet, retention looks at these by itself.
 *
 * @param sessions the `from` of a select, from which `session` can be read
 */
export const appendFirstVersions = (session: WholeSession, sessions: SQL): SQL =>
  appendToJournal(
    {
      municipalityId: sql`${session.municipalityId}`,
      kind: sql.raw(`'parking_session'`),
      recordedAt: sql`${session.knownAt}`,
      requestId: sql`${session.knownBy}`,
      sourceCode: sql`${session.sourceCode}`,
      key: sql`${session.sessionId}`,
      plate: sql`${session.plate}`,
      record: recordOf(session),
      awaits: sql`${session.knownAt}`,
    },
    sql`${sessions} and ${session.knownAt} is not null`,
  );

const holder = alias(parkingSessions, 'holder');
const plateless = alias(journal, 'plateless');

/** The plate that a row is about: where it has none of its own, it is about the one that its session has. */
export const plateOf = (row: AliasedJournal): SQL<string | null> => sql`coalesce(${row.plate}, (
  select ${holder.plate} from ${tableAs(parkingSessions, holder, 'parking_sessions_key')}
  where ${holder.municipalityId} = ${row.municipalityId} and ${holder.sourceCode} = ${row.sourceCode}
    and ${holder.sessionId} = ${row.key}))`;

/**
 * That a row is of a session, and about the plate that the session has.
 *
 * @param row the journal's alias, looked up by {@link SESSION_HISTORY}
 */
export const isAboutOwnPlate = (row: AliasedJournal, session: SessionRow): SQL =>
  sql`${row.municipalityId} = ${session.municipalityId} and ${row.sourceCode} = ${session.sourceCode}
    and ${row.key} = ${session.sessionId} and ${row.kind} = 'parking_session' and ${row.plate} is null`;

/** The index of a session's rows. */
export const SESSION_HISTORY = 'journal_by_key';

/**
 * Writes a session's plate into those of its rows that have none: before it gets another one, and before it is deleted.
 *
 * @param sessions the `from` of a select, from which `session` can be read
 */
export const keepPlates = (session: SessionRow, sessions: SQL): SQL => sql`
update ${journal} set ${bare(journal.plate)} = ${plateOf(journal)} where ${journal.sequence} in (
  select ${plateless.sequence} ${sessions} cross join ${tableAs(journal, plateless, SESSION_HISTORY)} on ${isAboutOwnPlate(plateless, session)})`;

/** All that a row of the journal may say of a session. */
export type WholeSession = SessionRow &
  Readonly<
    Record<
      'plate' | 'areaId' | 'startsAt' | 'endsAt' | 'cancelledAt' | 'revision' | 'knownAt' | 'knownBy',
      SQLWrapper
    >
  >;

/** The sessions, under any alias. */
type SessionRow = Readonly<Record<'municipalityId' | 'sourceCode' | 'sessionId', SQLWrapper>>;

/** Whether a row is of a municipality's configuration: of a large one, further rows follow right after it, and have keys. */
export const isConfiguration = ({ kind, sourceCode, key }: JournalRow): SQL =>
  sql`${kind} = 'configuration' and ${sourceCode} is null and ${key} is null`;

/** Which row is the newest: of two that were recorded at one instant, that with the higher sequence. */
export const newestFirst = ({ recordedAt: at, sequence }: JournalRow): SQL =>
  sql`order by ${at} desc, ${sequence} desc`;

/**
 * A value of the newest row of a plate on a subscription, which is looked up by both: a subscription may have hundreds of plates
 * with a long history each, and a plate may be on thousands of subscriptions.
 *
 * @param row the journal's alias, which `value` and `and` name
 * @param and a further condition
 */
export const newestOfPlate = <Value>(
  row: AliasedJournal,
  of: { readonly municipality: SQLWrapper; readonly number: SQLWrapper; readonly plate: SQLWrapper },
  value: SQL<Value>,
  and = sql``,
): SQL<Value | null> => sql`(select ${value} from ${tableAs(journal, row, 'journal_by_title')}
  where ${row.municipalityId} = ${of.municipality} and ${row.kind} = 'subscription'
    and ${row.key} = ${of.number} and ${row.plate} = ${of.plate} ${and} order by ${row.sequence} desc limit 1)`;
