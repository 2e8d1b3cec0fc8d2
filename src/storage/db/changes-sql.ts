import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { changes } from './schema/index.ts';
import { bare, bytesOfUuid, list, tableAs } from './sql.ts';

const change = alias(changes, 'change');

/** The instant of a municipality's last change. Behind {@link recordChange}, in its transaction: of this very change. */
export const lastRecordedAt = (municipalityId: SQL): SQL<number | null> =>
  sql`(select max(${change.recordedAt}) from ${tableAs(changes, change)} where ${change.municipalityId} = ${municipalityId})`;

/** What a row of {@link changes} says. */
interface RecordedBy {
  /** Our clock, read when the transaction is sent. */
  readonly now: SQL;
  /** The call's id, as text. */
  readonly requestId: SQL;
  readonly batch: SQL;
}

/**
 * Records that a transaction changes something of a municipality: its first statement. What is stored behind it has the instant
 * {@link lastRecordedAt}.
 *
 * @param guarded the same id, or an expression that undoes the transaction
 * @param from the rest of the select, from its `from` on; none for one municipality
 */
export const recordChange = (
  municipalityId: SQL,
  { now, requestId, batch }: RecordedBy,
  { guarded = municipalityId, from = sql`` }: { readonly guarded?: SQL; readonly from?: SQL } = {},
): SQL => sql`
insert into ${changes} (${list([changes.municipalityId, changes.recordedAt, changes.requestId, changes.batch].map(bare))})
select ${guarded}, max(${now}, coalesce(${lastRecordedAt(municipalityId)}, 0) + 1), ${bytesOfUuid(requestId)}, ${batch} ${from}`;

/** Whether a transaction was undone because an earlier try of it has been stored. */
export const isStoredAlready = (error: unknown): boolean =>
  messageOf(error).includes('UNIQUE constraint failed: changes.request_id');

/** Whether a transaction was undone because another one has stored a row with the same key. */
export const isKeyTaken = (error: unknown): boolean =>
  /UNIQUE constraint failed: (?:parking_sessions|subscriptions)\./.test(messageOf(error));

const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : '';
