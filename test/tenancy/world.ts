import { env } from 'cloudflare:workers';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { configurationVersion } from '../support/past.ts';
import { APP_SOURCE, FACILITY, RESIDENTS, ROME, type Seed, STREET, seed, TENANT } from '../support/seed.ts';

/** What the clock shows. */
export const NOW = Date.UTC(2026, 2, 7, 11);

export const PLATES = ['AB123CD', 'ZZ999ZZ', 'NOBODY'];
/** Codes of what every municipality has, whoever's it is. */
export const AREAS = ['S1', 'P1', 'P9'];

/** A municipality with one of everything, and the same codes as any other. Ids follow from its own. */
function municipality(id: number, tenantId: number, code: string, changed: Partial<typeof ROME> = {}): Seed {
  const municipalityId = id;
  const own = (index: number) => id * 10 + index;
  const entry = { ...STREET, municipalityId };
  const place = { ...ROME, id, tenantId, code, name: `City ${code}`, ...changed };
  const areas = [
    { ...entry, id: own(1) },
    { ...entry, ...FACILITY, municipalityId, id: own(2) },
    { ...entry, ...FACILITY, municipalityId, id: own(3), code: 'P9', active: false },
  ];
  const sources = [
    { ...APP_SOURCE, municipalityId, id: own(1) },
    { ...APP_SOURCE, municipalityId, id: own(2), code: 'old', active: false },
  ];
  return {
    municipalities: [place],
    areas,
    sources,
    configurationVersions: [configurationVersion(NOW - DAY_MS, { municipality: place, areas, sources })],
    subscriptionTypes: [{ ...RESIDENTS, municipalityId, id: own(1) }],
    plans: [
      {
        ...{ id: own(1), municipalityId, subscriptionTypeId: own(1), code: '101', amountCents: 100 + id },
        ...{ duration: 'P1M', description: 'MENSILE', forFirstActivation: true, forRenewal: true },
        ...{ onParkingMeter: true, active: true },
      },
    ],
    subscriptions: [
      {
        ...{ id: own(1), municipalityId, subscriptionNumber: 'R-1', typeId: own(1) },
        ...{ approval: 'approved' as const, areas: id % 2 === 0 ? null : [areas[1]?.code ?? ''] },
      },
    ],
    subscriptionPlates: [{ subscriptionId: own(1), municipalityId, plate: 'AB123CD' }],
    subscriptionPeriods: [
      { subscriptionId: own(1), startsAt: NOW - id * DAY_MS, endsAt: NOW + id * HOUR_MS },
    ],
    parkingSessions: ['AB123CD', 'ZZ999ZZ'].map((plate, index) => ({
      ...{ municipalityId, sourceCode: 'app1', sessionId: `s-${index}`, areaId: own(1 + index), plate },
      ...{ startsAt: NOW - ((id % 5) + 1) * HOUR_MS, endsAt: NOW + ((id % 5) - 1) * HOUR_MS },
    })),
  };
}

/** Ids and codes of the first tenant's municipalities: two that serve, one switched off, one with its services off. */
export const OWN = { 1: 'A1', 2: 'A2', 3: 'A3', 4: 'A4' } as const;
const NOTHING_SERVED = {
  plateCheckEnabled: false,
  subscriptionOptionsEnabled: false,
  reportEnabled: false,
};
const OWN_ROWS = [
  municipality(1, 1, OWN[1]),
  municipality(2, 1, OWN[2]),
  municipality(3, 1, OWN[3], { active: false }),
  municipality(4, 1, OWN[4], NOTHING_SERVED),
];

/** Codes that are none, or another tenant's. */
export const OTHERS = ['B1', 'B2', 'B3', 'NONE', 'a1', ''];
const NEIGHBOURS = {
  /** Nobody else is there. */
  nobody: [],
  /** Another tenant, with the same codes for all but its municipalities. */
  'a neighbour': [
    municipality(21, 2, 'B1'),
    municipality(22, 2, 'B2', { active: false }),
    municipality(23, 2, 'B3'),
  ],
  /** The same codes mean something else, and the tenant is switched off. */
  'another neighbour': [
    municipality(31, 2, 'B1', NOTHING_SERVED),
    municipality(32, 2, 'B3', { active: false, timeZone: 'Asia/Tokyo' }),
  ],
} as const;
export type Neighbour = keyof typeof NEIGHBOURS;
export const NEIGHBOUR_NAMES = Object.keys(NEIGHBOURS) as Neighbour[];

const TABLES = [
  ...['changes', 'configuration_versions', 'past_parking_sessions', 'past_subscription_plates'],
  ...['past_subscriptions', 'payments', 'subscription_plates', 'subscriptions', 'parking_sessions'],
  ...['rejected_plates', 'erased_plates', 'call_plates', 'imports', 'plans', 'subscription_types'],
  ...['credentials', 'sources', 'areas', 'municipalities', 'tenants', 'calls'],
];

/** The first tenant's world as it always begins, next to this neighbour. */
export async function beginWorld(neighbour: Neighbour): Promise<void> {
  await env.DB.batch(TABLES.map((table) => env.DB.prepare(`delete from ${table}`)));
  const { keys } = await env.SNAPSHOTS.list();
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
  const second = { ...TENANT, id: 2, code: 'beta', active: neighbour !== 'another neighbour' };
  const rows: readonly Seed[] = NEIGHBOURS[neighbour];
  const tenants = [TENANT, ...(rows.length > 0 ? [second] : [])];
  await seed({ tenants });
  for (const one of [...OWN_ROWS, ...rows]) await seed(one);
}

/** The rows that a query finds, in the order of its first columns. */
async function rowsOf(sql: string): Promise<unknown[]> {
  const { results } = await env.DB.prepare(sql).all();
  return results.map((row) => JSON.stringify(row)).sort();
}

/** Everything of the first tenant's municipalities that calls may change, by table. */
export const ownState = (): Promise<unknown> =>
  Promise.all([
    rowsOf(`select municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, revision
       from parking_sessions where municipality_id < 10`),
    rowsOf(`select municipality_id, subscription_number, type_id, approval, areas
       from subscriptions where municipality_id < 10`),
    rowsOf(
      'select municipality_id, payment_id, plate, collected_at, result_code, reversed_at, settled_at from payments where municipality_id < 10',
    ),
    rowsOf('select source_id, recorded_at, outcome from imports where source_id < 100'),
  ]);

/** Everything of the other tenant's. */
export const neighbourState = (): Promise<unknown> =>
  Promise.all([
    rowsOf('select * from parking_sessions where municipality_id > 10'),
    rowsOf('select * from subscriptions where municipality_id > 10'),
    rowsOf('select * from payments where municipality_id > 10'),
    rowsOf('select * from imports where source_id > 100'),
    rowsOf('select * from municipalities where id > 10'),
  ]);
