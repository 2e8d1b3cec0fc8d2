import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { db, query } from '../db/batch.ts';
import {
  changes,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, literal } from '../db/sql.ts';

/** The most rows of a kind that one transaction changes, which takes some tens of milliseconds. */
const MAX_ROWS = 500;

/** A session or a subscription with the plate, or that had it. */
export interface Held {
  readonly id: number;
  readonly municipalityId: number;
  /** Its key: of a session the `session_id`, of a subscription its number. */
  readonly key: string;
  /** The pseudonym that an earlier erasure gave to a version of the session; null if there is none. */
  readonly pseudonym: string | null;
}

export interface HeldPayment {
  readonly municipalityId: number;
  readonly paymentId: string;
  readonly terminalCode: string | null;
  readonly reversalReason: string | null;
  readonly settledNote: string | null;
}

interface WithPlate extends SQLiteTable {
  readonly municipalityId: SQLiteColumn;
  readonly plate: SQLiteColumn;
}

/** A table's rows with the plate, by its index of plates. Values: `municipalities`, a JSON list of ids, and `plate`. */
const holding = (table: WithPlate): SQL =>
  sql`json_each(${sql.placeholder('municipalities')}) as held cross join ${table}
    on ${table.municipalityId} = held.value and ${table.plate} = ${sql.placeholder('plate')}`;

const LIMIT = sql`limit ${literal(MAX_ROWS)}`;

/** Pseudonyms sort before all plates. */
const version = alias(pastParkingSessions, 'version');
const SESSION = sql`${parkingSessions.id} as "id", ${parkingSessions.municipalityId} as "municipalityId",
  ${parkingSessions.sessionId} as "key", iif(${parkingSessions.plate} < '+', ${parkingSessions.plate}, (
    select ${version.plate} from ${pastParkingSessions} as ${version}
    where ${version.id} = ${parkingSessions.id} and ${version.plate} < '+' limit 1)) as "pseudonym"`;
const SUBSCRIPTION = sql`${subscriptions.id} as "id", ${subscriptions.municipalityId} as "municipalityId",
  ${subscriptions.subscriptionNumber} as "key", null as "pseudonym"`;

/** What has the plate, and what had it. */
export const FINDING = [
  query(() => db.all<Held>(sql`select ${SESSION} from ${holding(parkingSessions)} ${LIMIT}`)),
  query(() =>
    db.all<Held>(sql`select distinct ${SESSION} from ${holding(pastParkingSessions)}
      cross join ${parkingSessions} on ${parkingSessions.id} = ${pastParkingSessions.id} ${LIMIT}`),
  ),
  query(() =>
    db.all<Held>(sql`select distinct ${SUBSCRIPTION} from ${holding(subscriptionPlates)}
      cross join ${subscriptions} on ${subscriptions.id} = ${subscriptionPlates.subscriptionId} ${LIMIT}`),
  ),
  query(() =>
    db.all<Held>(sql`select distinct ${SUBSCRIPTION} from ${holding(pastSubscriptionPlates)}
      cross join ${subscriptions} on ${subscriptions.id} = ${pastSubscriptionPlates.subscriptionId} ${LIMIT}`),
  ),
  // The keys alone first: for the whole row SQLite would read all payments of the municipality, by the primary key.
  query(() =>
    db.all<HeldPayment>(sql`select ${payments.municipalityId} as "municipalityId", ${payments.paymentId} as "paymentId",
      ${payments.terminalCode} as "terminalCode", ${payments.reversalReason} as "reversalReason",
      ${payments.settledNote} as "settledNote"
      from (select ${payments.municipalityId} as municipality, ${payments.paymentId} as payment from ${holding(payments)} ${LIMIT}) as found
      cross join ${payments} on ${payments.municipalityId} = found.municipality and ${payments.paymentId} = found.payment`),
  ),
] as const;

const each = (name: string): SQL => sql`json_each(${sql.placeholder(name)}) as each`;
const at = (index: number): SQL => sql.raw(`each.value ->> ${index}`);
const PLATE = sql.placeholder('plate');

/** A random key, where the digest is another row's: an import has stored a line under it while this row had its old key. */
const newKey = (isTaken: SQL): SQL =>
  sql`iif(exists (${isTaken}), '*' || lower(hex(randomblob(32))), ${at(2)})`;

/**
 * Values: `sessions`, a JSON list of id, pseudonym, and the digest that replaces the key or null; `subscriptions`, likewise without
 * a pseudonym; `payments`, see {@link ERASING}; `changed`, the ids of their municipalities; `plate`; `municipalities`.
 */
const other = (column: SQLiteColumn): SQL => sql`other.${sql.identifier(column.name)}`;

/** Each row of a session has its pseudonym. No version is made: none of them changes `recorded_at`. */
const pseudonymize = (table: typeof parkingSessions | typeof pastParkingSessions): SQL =>
  sql`update ${table} set ${bare(table.plate)} = ${at(1)} from ${each('sessions')}
    where ${table.id} = ${at(0)} and ${table.plate} = ${PLATE} returning 1 as erased`;

/** Spans are found by the plate, hence the sign: a fleet's subscription has hundreds of others. */
const deleteSpans = (table: typeof subscriptionPlates | typeof pastSubscriptionPlates): SQL =>
  sql`delete from ${table} where ${table.municipalityId} in (select value from json_each(${sql.placeholder('changed')}))
    and ${table.plate} = ${PLATE} and +${table.subscriptionId} in (select ${at(0)} from ${each('subscriptions')})
    returning ${table.subscriptionId} as "subscriptionId"`;

const hidden = (column: SQLiteColumn, index: number): SQL =>
  sql`${bare(column)} = iif(${at(index)}, '***', ${column})`;

interface Erased {
  readonly erased: 1;
}

/** Erases the plate, in one transaction. */
export const ERASING = [
  query(() => db.all<Erased>(pseudonymize(parkingSessions))),
  query(() => db.all<Erased>(pseudonymize(pastParkingSessions))),
  query(() => db.all<{ readonly subscriptionId: number }>(deleteSpans(subscriptionPlates))),
  query(() => db.all<{ readonly subscriptionId: number }>(deleteSpans(pastSubscriptionPlates))),
  // Of a payment: municipality, key, new key or null, and whether each of its texts is hidden.
  query(() =>
    db.all<Erased>(sql`update ${payments} set ${bare(payments.plate)} = '*' || lower(hex(randomblob(7))),
      ${bare(payments.paymentId)} = iif(${at(2)} is null, ${payments.paymentId}, ${newKey(
        sql`select 1 from ${payments} as other where ${other(payments.municipalityId)} = ${at(0)} and ${other(payments.paymentId)} = ${at(2)}`,
      )}),
      ${hidden(payments.terminalCode, 3)}, ${hidden(payments.reversalReason, 4)}, ${hidden(payments.settledNote, 5)}
      from ${each('payments')}
      where ${payments.municipalityId} = ${at(0)} and ${payments.paymentId} = ${at(1)} and ${payments.plate} = ${PLATE}
      returning 1 as erased`),
  ),
  query(() =>
    db.all<Erased>(
      sql`update ${parkingSessions} set ${bare(parkingSessions.sessionId)} = ${newKey(
        sql`select 1 from ${parkingSessions} as other where ${other(parkingSessions.municipalityId)} = ${parkingSessions.municipalityId}
        and ${other(parkingSessions.sourceCode)} = ${parkingSessions.sourceCode} and ${other(parkingSessions.sessionId)} = ${at(2)}`,
      )} from ${each('sessions')} where ${parkingSessions.id} = ${at(0)} and ${parkingSessions.sessionId} <> ${at(2)}`,
    ),
  ),
  query(() =>
    db.all<Erased>(
      sql`update ${subscriptions} set ${bare(subscriptions.subscriptionNumber)} = ${newKey(
        sql`select 1 from ${subscriptions} as other where ${other(subscriptions.municipalityId)} = ${subscriptions.municipalityId}
        and ${other(subscriptions.subscriptionNumber)} = ${at(2)}`,
      )} from ${each('subscriptions')} where ${subscriptions.id} = ${at(0)} and ${subscriptions.subscriptionNumber} <> ${at(2)}`,
    ),
  ),
] as const;

const CHANGED = sql`json_each(${sql.placeholder('changed')}) as changed`;
const newest = (municipality: SQL): SQL =>
  sql`(select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipality})`;

/**
 * Makes gates take the full list again: a list given from now on names the change that this records. Values: `changed`, a JSON list
 * of municipalities; `now`; `requestId`, the 16 bytes of the call's id.
 */
export const FORGETTING_LISTS = [
  query(() =>
    db.all(sql`insert into ${changes} (${bare(changes.municipalityId)}, ${bare(changes.recordedAt)}, ${bare(changes.requestId)})
      select changed.value, max(${sql.placeholder('now')}, coalesce(${newest(sql.raw('changed.value'))}, 0) + 1), ${sql.placeholder('requestId')}
      from ${CHANGED} where true`),
  ),
  query(() =>
    db.all(sql`update ${municipalities} set ${bare(municipalities.pastSince)} = ${newest(sql`${municipalities.id}`)}
      where ${municipalities.id} in (select value from ${CHANGED})`),
  ),
] as const;
