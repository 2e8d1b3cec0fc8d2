import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { CITY, MONTHLY as MONTHLY_PLAN, RESIDENTS, ROME, type Seed, SUBSCRIPTION } from '../support/seed.ts';

export const PATH = '/api/v2/parking-meters/subscription-options';
/** A Saturday in Rome: 17:44:12. */
export const NOW = Date.UTC(2026, 2, 7, 16, 44, 12);

const MONTHLY = { ...MONTHLY_PLAN, id: 1 };
const YEARLY = {
  ...MONTHLY_PLAN,
  id: 2,
  code: '012',
  amountCents: 999_999,
  duration: 'P1Y',
  description: 'RESIDENTI ANNUALE',
};

const FREE = { ...RESIDENTS, id: 2, code: 'FREE', freelySold: true };
const CLOSED = { ...RESIDENTS, id: 3, code: 'CLOSED', renewalAllowed: false };
const BARE = { ...RESIDENTS, id: 4, code: 'BARE' };
const LATE = { ...RESIDENTS, id: 5, code: 'LATE', renewalOpensDaysBefore: 30 };
const WITHIN = { ...RESIDENTS, id: 6, code: 'WITHIN', soldWithinAuthorization: true };

/** A title, by the plates that are on it. It is approved and unbounded, unless said otherwise. */
interface Title {
  readonly plates: readonly string[];
  readonly row?: Partial<NonNullable<Seed['subscriptions']>[number]>;
  readonly validUntil?: number;
  /** Starts and ends. */
  readonly periods?: readonly (readonly [number, number])[];
}

const active = [[NOW - DAY_MS, Date.UTC(2026, 2, 31, 22)]] as const;
const past = [[NOW - 2 * DAY_MS, NOW - DAY_MS]] as const;

const TITLES: readonly Title[] = [
  { plates: ['FIRST', 'TWO', 'BESIDE'] },
  { plates: ['ACTIVE', 'TWO'], periods: active },
  { plates: ['EXPIRED'], periods: past },
  { plates: ['LIMITED'], periods: active, row: { areas: [] } },
  { plates: ['FREE', 'BESIDE'], row: { typeId: 2 } },
  { plates: ['LEFT'], validUntil: NOW },
  { plates: ['PENDING'], row: { approval: 'pending' } },
  { plates: ['REVOKED'], row: { revokedAt: NOW } },
  { plates: ['SUSPENDED'], row: { suspendedFrom: NOW } },
  { plates: ['EARLY'], row: { authorizedFrom: NOW + 1 } },
  { plates: ['OVER'], row: { authorizedUntil: NOW } },
  { plates: ['RENEWED'], periods: [...active, [Date.UTC(2026, 2, 31, 22), Date.UTC(2026, 3, 30, 22)]] },
  { plates: ['PAID'], periods: [[NOW + DAY_MS, NOW + 30 * DAY_MS]] },
  { plates: ['CLOSED'], row: { typeId: 3 }, periods: past },
  { plates: ['BARE'], row: { typeId: 4 }, periods: active },
  { plates: ['WAITS'], row: { typeId: 5 }, periods: [[NOW - HOUR_MS, NOW + 30 * DAY_MS + 1]] },
  { plates: ['OPENS'], row: { typeId: 5 }, periods: [[NOW - HOUR_MS, NOW + 30 * DAY_MS]] },
  { plates: ['WITHIN'], row: { typeId: 6, authorizedUntil: NOW + 100 * DAY_MS } },
  { plates: ['BEYOND'], row: { typeId: 6, revokedAt: NOW + DAY_MS } },
];

const numbered = TITLES.map((title, index) => ({ ...title, id: index + 1 }));

/** Rome with plates whose names say how their subscriptions stand at {@link NOW}. */
export const OFFICE = {
  ...CITY,
  municipalities: [
    ROME,
    { ...ROME, id: 2, code: 'NOSUB', subscriptionsEnabled: false },
    { ...ROME, id: 3, code: 'NOOPT', subscriptionOptionsEnabled: false },
  ],
  subscriptionTypes: [RESIDENTS, FREE, CLOSED, BARE, LATE, WITHIN],
  plans: [
    MONTHLY,
    YEARLY,
    { ...MONTHLY, id: 3, code: '103', forRenewal: false, description: 'PRIMA ATTIVAZIONE' },
    { ...MONTHLY, id: 4, code: '104', active: false },
    { ...MONTHLY, id: 5, code: '105', onParkingMeter: false },
    { ...MONTHLY, id: 6, code: '106', subscriptionTypeId: 2 },
    { ...MONTHLY, id: 7, code: '107', subscriptionTypeId: 4, onParkingMeter: false },
    { ...MONTHLY, id: 8, code: '108', subscriptionTypeId: 5 },
    { ...MONTHLY, id: 9, code: '109', subscriptionTypeId: 3 },
    { ...MONTHLY, id: 10, code: '110', subscriptionTypeId: 6 },
    { ...YEARLY, id: 11, code: '111', subscriptionTypeId: 6 },
  ],
  subscriptions: numbered.map(({ id, row }) => ({
    ...SUBSCRIPTION,
    ...{ id, subscriptionNumber: `N${id}` },
    ...row,
  })),
  subscriptionPlates: numbered.flatMap(({ id, plates, validUntil }) =>
    plates.map((plate) => ({
      subscriptionId: id,
      municipalityId: 1,
      plate,
      ...(validUntil !== undefined && { validUntil }),
    })),
  ),
  subscriptionPeriods: numbered.flatMap(({ id, periods = [] }) =>
    periods.map(([startsAt, endsAt]) => ({ subscriptionId: id, startsAt, endsAt })),
  ),
} satisfies Seed;
