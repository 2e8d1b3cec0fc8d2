import { and, eq, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate } from '../../domain/plate.ts';
import { batch, db, query, withValues } from '../db/batch.ts';
import { bytesOfId, NEWEST_CHANGE, recordChange } from '../db/changes.ts';
import {
  municipalities,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  payments,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, literal } from '../db/sql.ts';
import { isKeyDigest, keyDigest, newPseudonym } from '../plate-digest/erased-plate.ts';

/** The tables that hold plates, each with an index by municipality and plate. */
export const OF_PLATES = [
  parkingSessions,
  pastParkingSessions,
  subscriptionPlates,
  pastSubscriptionPlates,
  payments,
] as const;

/** The most rows of a kind that one transaction changes, which takes some tens of milliseconds. */
const MAX_ROWS = 500;

/** A plate that is erased from some municipalities. */
export interface ErasedPlate {
  readonly plate: Plate;
  /** Their ids. */
  readonly municipalities: readonly number[];
  /** Of `DIGEST_KEY`. */
  readonly key: string;
  readonly now: Instant;
  readonly requestId: string;
}

/** A session, subscription or payment that has the plate, or had it. */
interface Held {
  readonly municipalityId: number;
  readonly id: number;
  readonly key: string;
}
/** A text in which somebody may have written the plate. */
type Texts = Readonly<Record<'terminalCode' | 'reversalReason' | 'settledNote', string | null>>;

const PLATE = sql.placeholder('plate');
const MUNICIPALITIES = sql.placeholder('municipalities');

/** The values of these columns in rows that have the plate, by the tables' indexes of plates. */
const found = (...columns: readonly SQLiteColumn[]): SQL => {
  const selects = columns.map(
    (column) => sql`select held.value as municipality, ${column} as id
      from json_each(${MUNICIPALITIES}) as held cross join ${column.table}
      on ${column.table}.${bare(payments.municipalityId)} = held.value and ${column.table}.${bare(payments.plate)} = ${PLATE}`,
  );
  return sql`(${sql.join(selects, sql` union `)} limit ${literal(MAX_ROWS)}) as found`;
};

const version = alias(pastParkingSessions, 'version');

/**
 * What has the plate, and what had it; of a session also the pseudonym that an earlier erasure gave to a version of it.
 * Values: `municipalities`, a JSON list of ids, and `plate`.
 */
const FINDING = [
  // Pseudonyms sort before all plates.
  query(() =>
    db.all<
      Held & { readonly pseudonym: string | null }
    >(sql`select found.municipality as "municipalityId", found.id as "id", ${parkingSessions.sessionId} as "key",
      iif(${parkingSessions.plate} < '+', ${parkingSessions.plate}, (
        select ${version.plate} from ${pastParkingSessions} as ${version}
        where ${version.id} = ${parkingSessions.id} and ${version.plate} < '+' limit 1)) as "pseudonym"
      from ${found(parkingSessions.id, pastParkingSessions.id)}
      cross join ${parkingSessions} on ${parkingSessions.id} = found.id`),
  ),
  query(() =>
    db.all<Held>(sql`select found.municipality as "municipalityId", found.id as "id", ${subscriptions.subscriptionNumber} as "key"
      from ${found(subscriptionPlates.subscriptionId, pastSubscriptionPlates.subscriptionId)}
      cross join ${subscriptions} on ${subscriptions.id} = found.id`),
  ),
  query(() =>
    db.all<Omit<Held, 'id'> & Texts>(sql`select found.municipality as "municipalityId", found.id as "key",
      ${payments.terminalCode} as "terminalCode", ${payments.reversalReason} as "reversalReason",
      ${payments.settledNote} as "settledNote"
      from ${found(payments.paymentId)}
      cross join ${payments} on ${payments.municipalityId} = found.municipality and ${payments.paymentId} = found.id`),
  ),
] as const;

const each = (name: string): SQL => sql`json_each(${sql.placeholder(name)}) as each`;
const at = (index: number): SQL => sql.raw(`each.value ->> ${index}`);

/** Each row of a session has its pseudonym. No version is made: `recorded_at` stays. */
const pseudonymize = (table: typeof parkingSessions | typeof pastParkingSessions) =>
  query(() =>
    db.all(sql`update ${table} set ${bare(table.plate)} = ${at(2)} from ${each('sessions')}
      where ${table.id} = ${at(0)} and ${table.plate} = ${PLATE} returning 1 as erased`),
  );

/** Spans are found by the plate, hence the sign: a fleet's subscription has hundreds of others. */
const deleteSpans = (table: typeof subscriptionPlates | typeof pastSubscriptionPlates) =>
  query(() =>
    db.all<{ readonly subscriptionId: number }>(sql`delete from ${table}
      where ${table.municipalityId} in (select value from json_each(${MUNICIPALITIES}))
      and ${table.plate} = ${PLATE} and +${table.subscriptionId} in (select ${at(0)} from ${each('subscriptions')})
      returning ${table.subscriptionId} as "subscriptionId"`),
  );

/**
 * The digest of a key; a random key where the digest is another row's: an import has stored a line under it while this row had its
 * old key.
 *
 * @param within the columns in which the key is unique
 */
const withoutPlate = (key: SQLiteColumn, digest: SQL, ...within: readonly SQLiteColumn[]): SQL => {
  const alike = within.map((column) => sql`other.${bare(column)} = ${column}`);
  const isTaken = sql`select 1 from ${key.table} as other where ${and(...alike, sql`other.${bare(key)} = ${digest}`)}`;
  return sql`iif(exists (${isTaken}), '*' || lower(hex(randomblob(32))), ${digest})`;
};

const rename = (name: string, id: SQLiteColumn, key: SQLiteColumn, ...within: readonly SQLiteColumn[]) =>
  query(() =>
    db.all(sql`update ${key.table} set ${bare(key)} = ${withoutPlate(key, at(1), ...within)} from ${each(name)}
      where ${id} = ${at(0)} and ${key} <> ${at(1)}`),
  );

const hidden = (column: SQLiteColumn, index: number): SQL =>
  sql`${bare(column)} = iif(${at(index)}, '***', ${column})`;

/**
 * Erases the plate. Values, besides those of {@link FINDING}: JSON lists `sessions` of id, new key or null, and pseudonym;
 * `subscriptions` of id, and new key or null; `payments` of municipality, key, new key or null, and whether each text is hidden.
 */
const ERASING = [
  pseudonymize(parkingSessions),
  pseudonymize(pastParkingSessions),
  deleteSpans(subscriptionPlates),
  deleteSpans(pastSubscriptionPlates),
  query(() =>
    db.all(sql`update ${payments} set ${bare(payments.plate)} = '*' || lower(hex(randomblob(7))),
      ${bare(payments.paymentId)} = iif(${at(2)} is null, ${payments.paymentId}, ${withoutPlate(payments.paymentId, at(2), payments.municipalityId)}),
      ${hidden(payments.terminalCode, 3)}, ${hidden(payments.reversalReason, 4)}, ${hidden(payments.settledNote, 5)}
      from ${each('payments')}
      where ${payments.municipalityId} = ${at(0)} and ${payments.paymentId} = ${at(1)} and ${payments.plate} = ${PLATE}
      returning 1 as erased`),
  ),
  rename(
    'sessions',
    ...[parkingSessions.id, parkingSessions.sessionId],
    ...[parkingSessions.municipalityId, parkingSessions.sourceCode],
  ),
  rename('subscriptions', subscriptions.id, subscriptions.subscriptionNumber, subscriptions.municipalityId),
] as const;

/** Makes gates take the full list again: a list given from now on names the change that was recorded before this. */
const FORGET_LISTS = query(() =>
  db
    .update(municipalities)
    .set({ pastSince: NEWEST_CHANGE })
    .where(eq(municipalities.id, sql.placeholder('municipalityId'))),
);

/**
 * Erases a plate from some hundred rows of each kind, in one transaction. Sessions and payments get a pseudonym each,
 * subscriptions lose the plate, and keys that spell it become digests.
 *
 * @returns how many of each have lost the plate; null once no row has it
 */
export async function eraseSomeRows(d1: D1Database, erased: ErasedPlate) {
  const { plate, now } = erased;
  const asked = { plate, municipalities: JSON.stringify(erased.municipalities) };
  const [sessions, titles, paid] = await batch(d1, FINDING, asked);
  const rows = [...sessions, ...titles, ...paid];
  if (rows.length === 0) return null;

  const spells = (text: string | null): boolean => text !== null && spellsPlate(text, plate);
  /** The digest that replaces a key; null: the key does not spell the plate. */
  const digestOf = ({ key }: Pick<Held, 'key'>): string | null =>
    !isKeyDigest(key) && spells(key) ? keyDigest(erased.key, key) : null;
  const paymentOf = (payment: (typeof paid)[number]) => [
    ...[payment.municipalityId, payment.key, digestOf(payment)],
    ...[payment.terminalCode, payment.reversalReason, payment.settledNote].map(spells),
  ];
  const changed = new Set(rows.map(({ municipalityId }) => municipalityId));
  const forgetting = [...changed].flatMap((municipalityId) => [
    withValues(recordChange, { municipalityId }),
    withValues(FORGET_LISTS, { municipalityId }),
  ]);

  const [present, past, spans, pastSpans, payments] = await batch(d1, [...ERASING, ...forgetting], {
    ...asked,
    sessions: JSON.stringify(
      sessions.map((held) => [held.id, digestOf(held), held.pseudonym ?? newPseudonym()]),
    ),
    subscriptions: JSON.stringify(titles.map((held) => [held.id, digestOf(held)])),
    payments: JSON.stringify(paid.map(paymentOf)),
    now,
    requestId: bytesOfId(erased.requestId),
  });
  return {
    sessions: present.length,
    subscriptions: new Set(spans.map(({ subscriptionId }) => subscriptionId)).size,
    /** Versions of sessions and spans of subscriptions, present and past. */
    history: present.length + past.length + spans.length + pastSpans.length,
    payments: payments.length,
  };
}
