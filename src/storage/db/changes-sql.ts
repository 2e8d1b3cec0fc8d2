import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { textOfError } from './guards.ts';
import { changes } from './schema/index.ts';
import { bare, bytesOfUuid, list, tableAs } from './sql.ts';

const change = alias(changes, 'change');

/** The instant of a municipality's last change. After {@link recordChange} in a transaction, that is the transaction's own change. */
export const lastRecordedAt = (municipalityId: SQL): SQL<number | null> =>
  sql`(select max(${change.recordedAt}) from ${tableAs(changes, change)} where ${change.municipalityId} = ${municipalityId})`;

/** The columns of a row of {@link changes}. */
interface RecordedBy {
  /** The Worker's clock when it sends the transaction. */
  readonly now: SQL;
  /** The text of the call's id. */
  readonly requestId: SQL;
  readonly batch: SQL;
}

/**
 * Records that a transaction changes a municipality. It must be the first statement: the later ones store
 * {@link lastRecordedAt} as their instant.
 *
 * @param guarded the same id, or an expression that rolls back the transaction
 * @param from the select's `from` clause and the rest; empty for one municipality
 */
export const recordChange = (
  municipalityId: SQL,
  { now, requestId, batch }: RecordedBy,
  { guarded = municipalityId, from = sql`` }: { readonly guarded?: SQL; readonly from?: SQL } = {},
): SQL => sql`
insert into ${changes} (${list([changes.municipalityId, changes.recordedAt, changes.requestId, changes.batch].map(bare))})
select ${guarded}, max(${now}, coalesce(${lastRecordedAt(municipalityId)}, 0) + 1), ${bytesOfUuid(requestId)}, ${batch} ${from}`;

/** Whether a transaction was rolled back because an earlier try of it is stored. */
export const isStoredAlready = (error: unknown): boolean =>
  textOfError(error).includes('UNIQUE constraint failed: changes.request_id');

/** Whether a transaction was rolled back because another one stored a row with the same key. */
export const isKeyTaken = (error: unknown): boolean =>
  /UNIQUE constraint failed: (?:parking_sessions|subscriptions)\./.test(textOfError(error));

/** As {@link isKeyTaken}, for a payment, its reversal or its settlement. */
export const isPaymentTaken = (error: unknown): boolean =>
  /UNIQUE constraint failed: (?:payments|payment_changes|subscription_periods)\./.test(textOfError(error));
