import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { instantColumn, lengthWithin, NAME_LENGTH } from './columns.ts';
import { municipalities, tenants } from './configuration.ts';

/** The platform's location hints for an object. */
export const OBJECT_LOCATIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;
export type ObjectLocation = (typeof OBJECT_LOCATIONS)[number];

/** What is listed of credentials. The credential's Durable Object is the authority, and alone holds its secrets' hashes. */
export const credentials = sqliteTable(
  'credentials',
  {
    /** The name of the Durable Object. The token and the key contain it in clear. */
    id: text('id').primaryKey(),
    tenantId: integer('tenant_id')
      .notNull()
      .references(() => tenants.id),
    name: text('name').notNull(),
    scopes: text('scopes', { mode: 'json' }).$type<readonly string[]>().notNull(),
    /** Null: any address. */
    ipAllowlist: text('ip_allowlist', { mode: 'json' }).$type<readonly string[]>(),
    expiresAt: instantColumn('expires_at'),
    rateLimit: integer('rate_limit').notNull(),
    rateWindowSeconds: integer('rate_window_seconds').notNull(),
    /** Null: no bound. */
    historicalDaysAllowed: integer('historical_days_allowed'),
    sourceCode: text('source_code'),
    /** Codes of the only areas of its one municipality that it may ask about. Null: all. */
    areas: text('areas', { mode: 'json' }).$type<readonly string[]>(),
    /** Until when the pair before the last rotation is accepted. */
    overlapEndsAt: instantColumn('overlap_ends_at'),
    /** The object's: a row never goes back. */
    version: integer('version').notNull(),
    createdAt: instantColumn('created_at').notNull(),
    revokedAt: instantColumn('revoked_at'),
    /** The location hint with which its object was created. Null: near its first caller. */
    location: text('location', { enum: OBJECT_LOCATIONS }),
  },
  (t) => [
    // The lists of all and of a tenant's credentials: a page reads only its own rows.
    index('credentials_by_creation').on(t.createdAt, t.id),
    index('credentials_by_tenant').on(t.tenantId, t.createdAt, t.id),
    check('credentials_name_length', lengthWithin(t.name, NAME_LENGTH)),
    check('credentials_rate_limit', sql`${t.rateLimit} between 1 and 10000`),
    check('credentials_rate_window', sql`${t.rateWindowSeconds} between 1 and 3600`),
    check('credentials_historical_days', sql`${t.historicalDaysAllowed} >= 0`),
  ],
);

export const credentialMunicipalities = sqliteTable(
  'credential_municipalities',
  {
    credentialId: text('credential_id')
      .notNull()
      .references(() => credentials.id),
    municipalityId: integer('municipality_id')
      .notNull()
      .references(() => municipalities.id),
  },
  (t) => [
    primaryKey({ columns: [t.credentialId, t.municipalityId] }),
    // The list of a municipality's credentials.
    index('credential_municipalities_by_municipality').on(t.municipalityId),
  ],
);
