import { env } from 'cloudflare:workers';
import { getTableColumns } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '../../src/storage/db/schema/index.ts';

/** Rows by table, in an order in which foreign keys hold. */
const TABLES = {
  tenants: schema.tenants,
  municipalities: schema.municipalities,
  areas: schema.areas,
  sources: schema.sources,
  sourceImports: schema.sourceImports,
  rejectedPlates: schema.rejectedPlates,
  subscriptionTypes: schema.subscriptionTypes,
  plans: schema.plans,
  subscriptions: schema.subscriptions,
  subscriptionPlates: schema.subscriptionPlates,
  subscriptionPeriods: schema.subscriptionPeriods,
  subscriptionAreas: schema.subscriptionAreas,
  parkingSessions: schema.parkingSessions,
  configurationVersions: schema.configurationVersions,
} as const;

type Rows<T extends keyof typeof TABLES> = (typeof TABLES)[T]['$inferInsert'];
export type Seed = {
  readonly [T in Exclude<keyof typeof TABLES, 'subscriptionPeriods'>]?: readonly Rows<T>[];
} & { readonly subscriptionPeriods?: readonly SeededPeriod[] };

/** Periods of a seed do not overlap. */
type SeededPeriod = Omit<Rows<'subscriptionPeriods'>, 'coveredUntil'>;
const storedPeriod = (period: SeededPeriod): Rows<'subscriptionPeriods'> => ({
  ...period,
  coveredUntil: period.endsAt,
});

/** Puts rows into the database as they are. */
export async function seed({ subscriptionPeriods, ...others }: Seed, db = env.DB): Promise<void> {
  const rows = { ...others, subscriptionPeriods: subscriptionPeriods?.map(storedPeriod) };
  const orm = drizzle(db);
  for (const [name, table] of Object.entries(TABLES) as [keyof typeof TABLES, SQLiteTable][]) {
    // D1 takes 100 parameters a statement.
    const perStatement = Math.floor(100 / Object.keys(getTableColumns(table)).length);
    const values: readonly Record<string, unknown>[] = rows[name] ?? [];
    for (let from = 0; from < values.length; from += perStatement) {
      await orm.insert(table).values(values.slice(from, from + perStatement));
    }
  }
}

export const TENANT = { id: 1, code: 'acme', name: 'Acme Parking', active: true };

export const ROME = {
  id: 1,
  tenantId: 1,
  code: 'H501',
  name: 'Roma',
  timeZone: 'Europe/Rome',
  active: true,
  plateCheckEnabled: true,
  subscriptionsEnabled: true,
  subscriptionOptionsEnabled: true,
  reportEnabled: true,
};

export const STREET = {
  id: 1,
  municipalityId: 1,
  code: 'S1',
  name: 'Via Roma',
  areaType: 'street' as const,
  capacity: 40,
  active: true,
  serviceEnabled: true,
  plateControlEnabled: true,
  subscriptionAccess: false,
  entryGraceMinutes: 0,
  exitGraceMinutes: 0,
};

export const FACILITY = {
  ...STREET,
  id: 2,
  code: 'P1',
  name: 'Parcheggio Centro',
  areaType: 'facility' as const,
  capacity: 300,
  subscriptionAccess: true,
  entryGraceMinutes: 10,
  exitGraceMinutes: 15,
};

export const APP_SOURCE = {
  id: 1,
  municipalityId: 1,
  code: 'app1',
  name: 'App One',
  category: 'app',
  isSystem: false,
  active: true,
  staleAfterMinutes: 15,
  reportDelayMinutes: 5,
  openSessionMaxHours: 72,
};

export const RESIDENTS = {
  id: 1,
  municipalityId: 1,
  code: 'RES',
  name: 'Residents',
  freelySold: false,
  renewalAllowed: true,
  renewalOpensDaysBefore: null,
  soldWithinAuthorization: false,
};

/** Of {@link RESIDENTS}, and good for all areas. */
export const SUBSCRIPTION = {
  id: 1,
  municipalityId: 1,
  subscriptionNumber: 'N1',
  typeId: 1,
  approval: 'approved' as const,
  allAreas: true,
};

/** The rows of {@link SUBSCRIPTION} with a plate on it, for the time that is paid. */
export const subscribed = (plate: string, paid: { readonly startsAt: number; readonly endsAt: number }) => ({
  subscriptions: [SUBSCRIPTION],
  subscriptionPlates: [{ subscriptionId: 1, municipalityId: 1, plate }],
  subscriptionPeriods: [{ subscriptionId: 1, ...paid }],
});

/** What a meter sells for {@link RESIDENTS}. */
export const MONTHLY = {
  municipalityId: 1,
  subscriptionTypeId: 1,
  code: '101',
  amountCents: 2_500,
  duration: 'P1M',
  description: 'RESIDENTI MENSILE',
  forFirstActivation: true,
  forRenewal: true,
  onParkingMeter: true,
  active: true,
};

/** One valid city: a tenant, Roma with a street and a facility, a source, a type. Tests change one thing at a time. */
export const CITY = {
  tenants: [TENANT],
  municipalities: [ROME],
  areas: [STREET, FACILITY],
  sources: [APP_SOURCE],
  subscriptionTypes: [RESIDENTS],
} as const satisfies Seed;
