import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { RecordedConfiguration } from '../../src/office/evidence/recorded-configuration.ts';
import * as schema from '../../src/storage/db/schema/index.ts';
import type { SubscriptionRecord } from '../../src/storage/history/subscription-changes.ts';
import { APP_SOURCE, FACILITY, RESIDENTS, ROME, STREET } from './seed.ts';

/*
 * Stores what an import or a configuration document stores at an instant: the present as it then stands, and in the tables of the
 * past what it replaces.
 */

type Part<Item> = { readonly [Key in keyof Item]?: unknown };
export interface CityOfSeed {
  readonly municipality?: Part<typeof ROME>;
  readonly areas?: readonly (Omit<typeof STREET, 'areaType'> & {
    readonly areaType: 'street' | 'facility';
  })[];
  readonly sources?: readonly (typeof APP_SOURCE)[];
  readonly tenantActive?: boolean;
}

/** A municipality's whole configuration, as a version of it says: that of `support/seed.ts`, unless changed. */
export function recordedConfiguration({
  municipality = {},
  areas = [STREET, FACILITY],
  sources = [APP_SOURCE],
  tenantActive = true,
}: CityOfSeed = {}): RecordedConfiguration {
  const { code, name, timeZone, active, plateCheckEnabled, subscriptionsEnabled } = {
    ...ROME,
    ...municipality,
  } as typeof ROME;
  return {
    code,
    name,
    timezone: timeZone,
    active,
    tenant_active: tenantActive,
    services: { plate_check: plateCheckEnabled, subscriptions: subscriptionsEnabled },
    areas: areas.map((area) => ({
      code: area.code,
      name: area.name,
      area_type: area.areaType,
      active: area.active,
      ...(area.areaType === 'facility' && {
        facility: {
          service_enabled: area.serviceEnabled,
          plate_control_enabled: area.plateControlEnabled,
          subscription_access: area.subscriptionAccess,
          entry_grace_minutes: area.entryGraceMinutes,
          exit_grace_minutes: area.exitGraceMinutes,
        },
      }),
    })),
    sources: sources.map((source) => ({
      code: source.code,
      name: source.name,
      is_system: source.isSystem,
      stale_after_minutes: source.staleAfterMinutes,
      report_delay_minutes: source.reportDelayMinutes,
      open_session_max_hours: source.openSessionMaxHours,
    })),
  };
}

type ConfigurationVersion = typeof schema.configurationVersions.$inferInsert;

/** The configuration as it was known from an instant on. */
export const configurationVersion = (recordedAt: number, city: CityOfSeed = {}): ConfigurationVersion => ({
  municipalityId: Number(city.municipality?.id ?? 1),
  recordedAt,
  part: 0,
  record: JSON.stringify(recordedConfiguration(city)),
});

export async function storeConfiguration(...versions: readonly ConfigurationVersion[]): Promise<void> {
  await drizzle(env.DB)
    .insert(schema.configurationVersions)
    .values([...versions]);
}

/** An import of the source that has just ended. A failed one leaves the last success as it was. */
export async function storeImport(
  recordedAt: number,
  lastOutcome: 'succeeded' | 'failed',
  lastSuccessfulAt: number | null = lastOutcome === 'succeeded' ? recordedAt : null,
): Promise<void> {
  const { sourceImports, pastSourceImports } = schema;
  const orm = drizzle(env.DB);
  const now = { lastFinishedAt: recordedAt, lastOutcome, lastSuccessfulAt, recordedAt };
  const before = await orm
    .select()
    .from(sourceImports)
    .where(eq(sourceImports.sourceId, APP_SOURCE.id))
    .get();
  if (before !== undefined) {
    await orm
      .insert(pastSourceImports)
      .values({ ...before, municipalityId: ROME.id, replacedAt: recordedAt });
    await orm.delete(sourceImports).where(eq(sourceImports.sourceId, APP_SOURCE.id));
  }
  await orm
    .insert(sourceImports)
    .values({ sourceId: APP_SOURCE.id, lastRequestId: crypto.randomUUID(), ...now });
}

/** A session of the source, as an import's line has it. */
export interface SeededSession {
  readonly session_id: string;
  readonly plate: string;
  readonly area_code?: string;
  readonly starts_at: number;
  readonly ends_at?: number | null;
  readonly cancelled_at?: number | null;
}

/** A session as it stands from an instant on. Where its plate is another one than before, the plate before has left it. */
export async function storeSession(recordedAt: number, session: SeededSession): Promise<void> {
  const { session_id, plate, starts_at, ends_at = null, cancelled_at = null, area_code = 'P1' } = session;
  const { parkingSessions, pastParkingSessions } = schema;
  const orm = drizzle(env.DB);
  const now = {
    areaId: area_code === STREET.code ? STREET.id : FACILITY.id,
    plate,
    startsAt: starts_at,
    endsAt: ends_at,
    cancelledAt: cancelled_at,
    recordedAt,
  };
  const before = await orm
    .select()
    .from(parkingSessions)
    .where(eq(parkingSessions.sessionId, session_id))
    .get();
  if (before === undefined) {
    const key = { municipalityId: ROME.id, sourceCode: APP_SOURCE.code, sessionId: session_id };
    await orm.insert(parkingSessions).values({ ...key, ...now });
  } else {
    await orm
      .insert(pastParkingSessions)
      .values({ ...before, municipalityId: ROME.id, replacedAt: recordedAt });
    await orm.update(parkingSessions).set(now).where(eq(parkingSessions.id, before.id));
  }
}

type Subscription = typeof schema.subscriptions.$inferInsert;
interface SeededSubscription {
  readonly number: string;
  /** The plates that are on it, whenever. */
  readonly plates: readonly string[];
  readonly periods?: readonly { readonly starts_at: number; readonly ends_at: number }[];
  readonly revokedAt?: number | null;
}

/** A subscription, good for all areas, as it stands from an instant on. */
export async function storeSubscription(
  recordedAt: number,
  { number, plates, periods = [], revokedAt = null }: SeededSubscription,
): Promise<void> {
  const orm = drizzle(env.DB);
  const { subscriptions } = schema;
  const before = await orm
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.subscriptionNumber, number))
    .get();
  const id = before?.id ?? (await insertedSubscription(number, recordedAt));
  await storeShared(id, recordedAt, periods, revokedAt, before);
  await storeSpans(id, recordedAt, plates);
}

async function insertedSubscription(subscriptionNumber: string, recordedAt: number): Promise<number> {
  const values: Subscription = {
    ...{ municipalityId: ROME.id, subscriptionNumber, typeId: RESIDENTS.id, approval: 'approved' },
    ...{ allAreas: true, recordedAt, changedAt: recordedAt },
  };
  const { id } = await drizzle(env.DB)
    .insert(schema.subscriptions)
    .values(values)
    .returning({ id: schema.subscriptions.id })
    .get();
  return id;
}

/** What its plates share, where that is another than before. */
async function storeShared(
  id: number,
  recordedAt: number,
  periods: NonNullable<SeededSubscription['periods']>,
  revokedAt: number | null,
  before: typeof schema.subscriptions.$inferSelect | undefined,
): Promise<void> {
  const orm = drizzle(env.DB);
  const { subscriptions, pastSubscriptions, subscriptionPeriods } = schema;
  const ofSubscription = eq(subscriptionPeriods.subscriptionId, id);
  const recordOf = (spans: readonly (readonly [number, number, string | null])[], revoked: number | null) =>
    JSON.stringify({
      ...{ type: RESIDENTS.code, approval: 'approved', areas: 'all', periods: spans },
      ...(revoked !== null && { revoked_at: revoked }),
    } satisfies SubscriptionRecord);
  const paid = await orm
    .select()
    .from(subscriptionPeriods)
    .where(ofSubscription)
    .orderBy(subscriptionPeriods.startsAt);
  const old = recordOf(
    paid.map(({ startsAt, endsAt, paidBy }) => [startsAt, endsAt, paidBy] as const),
    before?.revokedAt ?? null,
  );
  const now = recordOf(
    periods.map(({ starts_at, ends_at }) => [starts_at, ends_at, null] as const),
    revokedAt,
  );
  if (old === now) return;
  if (before !== undefined) {
    await orm.insert(pastSubscriptions).values({
      ...{ id, municipalityId: ROME.id, record: old, recordedAt: before.recordedAt },
      replacedAt: recordedAt,
    });
  }
  await orm
    .update(subscriptions)
    .set({ revokedAt, recordedAt, changedAt: recordedAt })
    .where(eq(subscriptions.id, id));
  await orm.delete(subscriptionPeriods).where(ofSubscription);
  for (const { starts_at, ends_at } of periods) {
    await orm
      .insert(subscriptionPeriods)
      .values({ subscriptionId: id, startsAt: starts_at, endsAt: ends_at, coveredUntil: ends_at });
  }
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
    await orm.insert(pastSubscriptionPlates).values({ ...span, replacedAt: recordedAt });
    await orm.delete(subscriptionPlates).where(eq(subscriptionPlates.id, span.id));
  }
  for (const plate of plates.filter((one) => spans.every((span) => span.plate !== one))) {
    await orm
      .insert(subscriptionPlates)
      .values({ subscriptionId, municipalityId: ROME.id, plate, recordedAt });
  }
}
