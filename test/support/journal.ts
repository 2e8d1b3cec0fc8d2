import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import * as schema from '../../src/db/schema/index.ts';
import type { RecordedConfiguration } from '../../src/evidence/recorded-configuration.ts';
import type { RecordedSession, RecordedSubscription } from '../../src/history/recorded.ts';
import { APP_SOURCE, FACILITY, ROME, STREET } from './seed.ts';

type Row = typeof schema.journal.$inferInsert;

/** Puts rows into the journal as they are. */
export async function record(...rows: readonly Row[]): Promise<void> {
  const orm = drizzle(env.DB);
  for (let from = 0; from < rows.length; from += 8) {
    await orm.insert(schema.journal).values(rows.slice(from, from + 8));
  }
}

type Part<Item> = { readonly [Key in keyof Item]?: unknown };
interface CityOfSeed {
  readonly municipality?: Part<typeof ROME>;
  readonly areas?: readonly (Omit<typeof STREET, 'areaType'> & {
    readonly areaType: 'street' | 'facility';
  })[];
  readonly sources?: readonly (typeof APP_SOURCE)[];
  readonly tenantActive?: boolean;
}

/** A municipality's whole configuration, as the journal records it: that of `support/seed.ts`, unless changed. */
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
      open_session_max_hours: source.openSessionMaxHours,
    })),
  };
}

export const configurationRow = (recordedAt: number, city: CityOfSeed = {}): Row => ({
  municipalityId: Number(city.municipality?.id ?? 1),
  kind: 'configuration',
  recordedAt,
  record: JSON.stringify(recordedConfiguration(city)),
});

/** An import that has just ended. A failed one leaves the last success as it was. */
export const importRow = (
  recordedAt: number,
  outcome: 'succeeded' | 'failed',
  lastSuccessfulAt: number | null = outcome === 'succeeded' ? recordedAt : null,
): Row => ({
  municipalityId: 1,
  kind: 'import',
  recordedAt,
  sourceCode: 'app1',
  requestId: crypto.randomUUID(),
  record: JSON.stringify({ last_outcome: outcome, last_successful_at: lastSuccessfulAt }),
});

/** A session's row. `left`: the plate has left it. */
export function sessionRow(
  recordedAt: number,
  session: Partial<RecordedSession> & Pick<RecordedSession, 'session_id' | 'plate' | 'starts_at'>,
  { left = false, ...changed }: Partial<Row> & { readonly left?: boolean } = {},
): Row {
  const whole: RecordedSession = {
    area_code: 'P1',
    ends_at: null,
    cancelled_at: null,
    revision: null,
    ...session,
  };
  const areaId = whole.area_code === 'S1' ? 1 : 2;
  return {
    municipalityId: 1,
    kind: 'parking_session',
    recordedAt,
    requestId: crypto.randomUUID(),
    sourceCode: 'app1',
    key: whole.session_id,
    plate: whole.plate,
    ...(left ? { leftAreaId: areaId } : { areaId }),
    record: left ? null : JSON.stringify(whole),
    ...changed,
  };
}

export const subscriptionRow = (
  recordedAt: number,
  number: string,
  plate: string,
  changed: Partial<RecordedSubscription> | null = {},
): Row => ({
  municipalityId: 1,
  kind: 'subscription',
  recordedAt,
  requestId: crypto.randomUUID(),
  key: number,
  plate,
  record:
    changed &&
    JSON.stringify({
      subscription_number: number,
      type: 'RES',
      plates: [{ valid_from: null, valid_until: null }],
      approval: 'approved',
      authorized_from: null,
      authorized_until: null,
      areas: 'all',
      suspended_from: null,
      suspended_until: null,
      revoked_at: null,
      revision: null,
      periods: [],
      ...changed,
    } satisfies RecordedSubscription),
});
