import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';

/**
 * One row a call. No token in it; `action` and `target` for an administrator's write alone, `request` and `response` for
 * the options query alone, whose row comes before its answer.
 *
 * Without rowid, and without an index of its instants: its id begins with them, and it is the only key.
 */
export const calls = sqliteTable(
  'calls',
  {
    /** The request id's 16 bytes. They begin with the call's instant. */
    id: blob('id').$type<Uint8Array>().primaryKey(),
    at: instantColumn('at').notNull(),
    operation: text('operation').notNull(),
    credentialId: text('credential_id'),
    tenant: text('tenant'),
    municipalityCode: text('municipality_code'),
    address: text('address'),
    httpStatus: integer('http_status').notNull(),
    outcome: text('outcome').notNull(),
    durationMs: integer('duration_ms').notNull(),
    request: text('request'),
    response: text('response'),
    action: text('action'),
    target: text('target'),
    /**
     * The first 16 bytes of a keyed digest of what the call was about: it confirms a plate that somebody names, and lists
     * none.
     */
    plateDigest: blob('plate_digest').$type<Uint8Array>(),
    /** The caller's name for the officer who looked. */
    officerReference: text('officer_reference'),
  },
  (t) => [
    // Erasure looks through what was kept whole of a tenant's calls.
    index('calls_whole').on(t.tenant, t.id).where(sql`${t.request} is not null`),
    // Evidence and a person's rights look a plate's calls up.
    index('calls_by_plate').on(t.plateDigest, t.id).where(sql`${t.plateDigest} is not null`),
  ],
);

/** The plates of a call that is about many of them: a row each, written with the call's own. Without rowid. */
export const callPlates = sqliteTable(
  'call_plates',
  {
    /** The call's. Retention deletes by it. */
    id: blob('id').$type<Uint8Array>().notNull(),
    /** The plate's place in the call. */
    position: integer('position').notNull(),
    /** As of a call. */
    plateDigest: blob('plate_digest').$type<Uint8Array>().notNull(),
    outcome: text('outcome').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.position] }),
    // Evidence and a person's rights look a plate's calls up.
    index('call_plates_by_plate').on(t.plateDigest, t.id),
  ],
);

/**
 * How much each credential's calls that are kept whole have sent in a day: past a bound, less of them is kept. Counted in
 * the transaction that writes the call.
 */
export const callLogDays = sqliteTable(
  'call_log_days',
  {
    /** Days since the epoch, UTC. */
    day: integer('day').notNull(),
    /** Empty where the credential is not known. */
    credentialId: text('credential_id').notNull(),
    refusedCalls: integer('refused_calls').notNull(),
    /** Of the requests of all other calls, masked. */
    requestBytes: integer('request_bytes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.day, t.credentialId] })],
);
