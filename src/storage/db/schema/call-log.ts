import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';

/**
 * One row per call, without tokens. Only the administrator's actions have `action` and `target`. Only options queries and
 * payments have `request` and `response`; their row is written before their answer.
 *
 * Without rowid, and without an index of instants: the id, which is the key, begins with the instant.
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
     * The first 16 bytes of the plate's keyed digest, which can confirm a given plate, but cannot be turned back into one.
     */
    plateDigest: blob('plate_digest').$type<Uint8Array>(),
    /** The caller's pseudonym for the officer who looked. */
    officerReference: text('officer_reference'),
  },
  (t) => [
    // Erasure searches the bodies of a tenant's calls.
    index('calls_whole').on(t.tenant, t.id).where(sql`${t.request} is not null`),
    // Evidence and a person's rights look a plate's calls up.
    index('calls_by_plate').on(t.plateDigest, t.id).where(sql`${t.plateDigest} is not null`),
  ],
);

/** The plates of a call about many, one row each, written with the call. Without rowid. */
export const callPlates = sqliteTable(
  'call_plates',
  {
    /** The call's id, by which retention deletes. */
    id: blob('id').$type<Uint8Array>().notNull(),
    /** The plate's position in the call. */
    position: integer('position').notNull(),
    /** As in {@link calls}. */
    plateDigest: blob('plate_digest').$type<Uint8Array>().notNull(),
    outcome: text('outcome').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.position] }),
    // Evidence and a person's rights look a plate's calls up.
    index('call_plates_by_plate').on(t.plateDigest, t.id),
  ],
);
