import { sql } from 'drizzle-orm';
import { db, query } from './batch.ts';
import { changes } from './schema/index.ts';

/** The instant of the municipality's newest change: in a transaction, its own one once {@link recordChange} has run. */
export const NEWEST_CHANGE = sql<number>`(
  select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${sql.placeholder('municipalityId')})`;

/** The instant of the change that a transaction will record: the clock's, or one more than the newest change's if that is later. */
export const NEXT_CHANGE = sql<number>`max(${sql.placeholder('now')}, coalesce(${NEWEST_CHANGE}, 0) + 1)`;

/**
 * Records that a transaction changes a municipality. The statements after it find its instant in {@link NEWEST_CHANGE}. Imports and
 * payments may change nothing: they store their rows with {@link NEXT_CHANGE}, and record a change last if there are any.
 *
 * Values: `municipalityId`; `now`, the Worker's clock; `requestId`, the 16 bytes of the call's id.
 */
export const recordChange = query(() =>
  db
    .insert(changes)
    .select(sql`select ${sql.placeholder('municipalityId')}, ${NEXT_CHANGE}, ${sql.placeholder('requestId')}`)
    .returning({ recordedAt: changes.recordedAt }),
);

/** The 16 bytes of the text of a call's id. */
export const bytesOfId = (requestId: string): Uint8Array => Uint8Array.fromHex(requestId.replaceAll('-', ''));
