import { env } from 'cloudflare:workers';
import { getTableColumns } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../src/domain/instant.ts';
import type { Plate } from '../../src/domain/plate.ts';
import * as schema from '../../src/storage/db/schema/index.ts';
import { wholeConfiguration } from './whole-configuration.ts';

/** Rows by table, in an order in which foreign keys hold. */
const TABLES = {
  tenants: schema.tenants,
  municipalities: schema.municipalities,
  areas: schema.areas,
  sources: schema.sources,
  imports: schema.imports,
  rejectedPlates: schema.rejectedPlates,
  subscriptionTypes: schema.subscriptionTypes,
  plans: schema.plans,
  subscriptions: schema.subscriptions,
  subscriptionPlates: schema.subscriptionPlates,
  parkingSessions: schema.parkingSessions,
  configurationVersions: schema.configurationVersions,
} as const;

/** A test writes instants as numbers and plates as texts. */
type Plain<Value> = Value extends Instant ? number : Value extends Plate ? string : Value;
type Rows<T extends keyof typeof TABLES> = {
  [Column in keyof (typeof TABLES)[T]['$inferInsert']]: Plain<(typeof TABLES)[T]['$inferInsert'][Column]>;
};
type Recorded<Row> = Omit<Row, 'recordedAt' | 'periods'> & { readonly recordedAt?: number };

export type Seed = {
  readonly [T in Exclude<
    keyof typeof TABLES,
    'subscriptions' | 'subscriptionPlates' | 'parkingSessions'
  >]?: readonly Rows<T>[];
} & {
  readonly subscriptions?: readonly Recorded<Rows<'subscriptions'>>[];
  readonly subscriptionPlates?: readonly Recorded<Rows<'subscriptionPlates'>>[];
  readonly parkingSessions?: readonly Recorded<Rows<'parkingSessions'>>[];
  /** Imported ones: columns of their subscription. */
  readonly subscriptionPeriods?: readonly {
    readonly subscriptionId: number;
    readonly startsAt: number;
    readonly endsAt: number;
  }[];
};

/** Puts rows into the database as they are. Without another `recordedAt`, they were recorded at the epoch. */
export async function seed({ subscriptionPeriods = [], ...others }: Seed, db = env.DB): Promise<void> {
  const recorded = <Row extends object>(row: Row) => ({ recordedAt: 0, ...row });
  const periodsOf = (id: number | undefined) =>
    subscriptionPeriods
      .filter(({ subscriptionId }) => subscriptionId === id)
      .map(({ startsAt, endsAt }) => [startsAt, endsAt] as const)
      .sort(([one], [other]) => one - other);
  const rows = {
    ...others,
    configurationVersions: versionsOf(others),
    subscriptions: others.subscriptions?.map((row) => ({ ...recorded(row), periods: periodsOf(row.id) })),
    subscriptionPlates: others.subscriptionPlates?.map(recorded),
    parkingSessions: others.parkingSessions?.map(recorded),
  };
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

/** The versions that a seed has, and one of the epoch for each of its other municipalities: its rows are its configuration. */
function versionsOf(rows: Seed): readonly Rows<'configurationVersions'>[] {
  const given = rows.configurationVersions ?? [];
  const others = (rows.municipalities ?? []).filter(
    ({ id }) => !given.some(({ municipalityId }) => municipalityId === id),
  );
  const added = others.map((municipality) => {
    const isOwn = (row: { readonly municipalityId: number }) => row.municipalityId === municipality.id;
    const whole = wholeConfiguration({
      municipality,
      tenant: rows.tenants?.find(({ id }) => id === municipality.tenantId)?.code ?? TENANT.code,
      areas: rows.areas?.filter(isOwn) ?? [],
      sources: rows.sources?.filter(isOwn) ?? [],
      subscriptionTypes: rows.subscriptionTypes?.filter(isOwn) ?? [],
      plans: rows.plans?.filter(isOwn) ?? [],
    });
    return { municipalityId: municipality.id ?? 0, recordedAt: 0, record: JSON.stringify(whole) };
  });
  return [...given, ...added];
}

/** An import of a source that has just ended: of {@link APP_SOURCE}, unless changed. */
export const importEnded = (at: number, changed: Partial<Rows<'imports'>> = {}): Rows<'imports'> => ({
  ...{ sourceId: 1, municipalityId: 1, recordedAt: at, outcome: 'succeeded', succeededAt: at },
  ...{ succeededBefore: null, isKept: false },
  ...changed,
});

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
