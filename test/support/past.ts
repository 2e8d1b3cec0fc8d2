import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { instant } from '../../src/domain/instant.ts';
import type { WholeMunicipality } from '../../src/storage/configuration/kinds.ts';
import * as schema from '../../src/storage/db/schema/index.ts';
import { APP_SOURCE, FACILITY, type MONTHLY, RESIDENTS, ROME, STREET, seed, TENANT } from './seed.ts';
import { wholeConfiguration } from './whole-configuration.ts';

/*
 * Stores what an import or a configuration document stores at an instant. The database keeps what it replaces.
 */

type Part<Item> = { readonly [Key in keyof Item]?: unknown };
export interface CityOfSeed {
  readonly municipality?: Part<typeof ROME>;
  readonly areas?: readonly (Omit<typeof STREET, 'areaType'> & {
    readonly areaType: 'street' | 'facility';
  })[];
  readonly sources?: readonly (typeof APP_SOURCE)[];
  readonly plans?: readonly (typeof MONTHLY)[];
}

/** A municipality's whole configuration, as a version of it says: that of `support/seed.ts`, unless changed. */
const recordedConfiguration = ({
  municipality = {},
  areas = [STREET, FACILITY],
  sources = [APP_SOURCE],
  plans = [],
}: CityOfSeed = {}): WholeMunicipality =>
  wholeConfiguration({
    municipality: { ...ROME, ...municipality },
    tenant: TENANT.code,
    areas,
    sources,
    subscriptionTypes: [RESIDENTS],
    plans,
  });

type ConfigurationVersion = typeof schema.configurationVersions.$inferInsert;

/** The configuration as it was known from an instant on. */
export const configurationVersion = (recordedAt: number, city: CityOfSeed = {}): ConfigurationVersion => ({
  municipalityId: Number(city.municipality?.id ?? 1),
  recordedAt: instant(recordedAt),
  record: JSON.stringify(recordedConfiguration(city)),
});

/** A session of the source, as an import's line has it. */
interface SeededSession {
  readonly session_id: string;
  readonly plate: string;
  readonly area_code?: string;
  readonly starts_at: number;
  readonly ends_at?: number | null;
  readonly cancelled_at?: number | null;
}

/** A session as it stands from an instant on. The database keeps the version before. */
export async function storeSession(recordedAt: number, session: SeededSession): Promise<void> {
  const { session_id, plate, starts_at, ends_at = null, cancelled_at = null, area_code = 'P1' } = session;
  await env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, cancelled_at, recorded_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict do update set area_id = excluded.area_id, plate = excluded.plate, starts_at = excluded.starts_at,
      ends_at = excluded.ends_at, cancelled_at = excluded.cancelled_at, recorded_at = excluded.recorded_at`,
  )
    .bind(
      ...[ROME.id, APP_SOURCE.code, session_id, area_code === STREET.code ? STREET.id : FACILITY.id, plate],
      ...[starts_at, ends_at, cancelled_at, recordedAt],
    )
    .run();
}

interface SeededSubscription {
  readonly number: string;
  /** The plates that are on it, whenever. */
  readonly plates: readonly string[];
  readonly periods?: readonly { readonly starts_at: number; readonly ends_at: number }[];
  readonly revokedAt?: number | null;
}

/** A subscription, good for all areas, as it stands from an instant on. The database keeps the version before. */
export async function storeSubscription(
  recordedAt: number,
  { number, plates, periods = [], revokedAt = null }: SeededSubscription,
): Promise<void> {
  const spans = JSON.stringify(periods.map(({ starts_at, ends_at }) => [starts_at, ends_at]));
  const stored = await env.DB.prepare(
    `insert into subscriptions (municipality_id, subscription_number, type_id, approval, periods, revoked_at, recorded_at)
    values (?, ?, ?, 'approved', ?, ?, ?)
    on conflict do update set periods = excluded.periods, revoked_at = excluded.revoked_at,
      recorded_at = iif(periods is not excluded.periods or revoked_at is not excluded.revoked_at, excluded.recorded_at, recorded_at)
    returning id`,
  )
    .bind(ROME.id, number, RESIDENTS.id, spans, revokedAt, recordedAt)
    .first<{ id: number }>();
  await storeSpans(stored?.id ?? 0, recordedAt, plates);
}

/** Its plates: those that are new, and those that have left. */
async function storeSpans(
  subscriptionId: number,
  recordedAt: number,
  plates: readonly string[],
): Promise<void> {
  const orm = drizzle(env.DB);
  const { subscriptionPlates, pastSubscriptionPlates } = schema;
  const spans = await orm
    .select()
    .from(subscriptionPlates)
    .where(eq(subscriptionPlates.subscriptionId, subscriptionId));
  for (const span of spans.filter(({ plate }) => !plates.includes(plate))) {
    await orm.insert(pastSubscriptionPlates).values({ ...span, replacedAt: instant(recordedAt) });
    await orm.delete(subscriptionPlates).where(eq(subscriptionPlates.id, span.id));
  }
  const added = plates.filter((one) => spans.every((span) => span.plate !== one));
  await seed({
    subscriptionPlates: added.map((plate) => ({
      subscriptionId,
      municipalityId: ROME.id,
      plate,
      recordedAt,
    })),
  });
}
