import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn } from './columns.ts';

/**
 * One row a call. No token in it; `action` and `target` for an administrator's write alone, `request` and `response` for
 * the options query alone, whose row comes before its answer.
 */
export const callLog = sqliteTable(
  'call_log',
  {
    requestId: text('request_id').primaryKey(),
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
    /** Keyed digest of what the call was about: it confirms a plate that somebody names, and lists none. */
    plateDigest: text('plate_digest'),
  },
  (t) => [
    // Retention deletes by age.
    index('call_log_by_at').on(t.at),
    // Erasure looks through what was kept whole of a tenant's calls.
    index('call_log_whole').on(t.tenant, t.at).where(sql`${t.request} is not null`),
    // Evidence and a person's rights look a plate's calls up.
    index('call_log_by_plate').on(t.plateDigest, t.at).where(sql`${t.plateDigest} is not null`),
  ],
);

/**
 * What each credential's calls that are kept whole have brought on a day: past a bound, less is kept of them. Counted in
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
