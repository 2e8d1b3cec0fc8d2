import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, type Seed, STREET, SUBSCRIPTION } from '../support/seed.ts';

/** A Saturday noon in Rome. */
export const NOW = Date.UTC(2026, 2, 7, 11);

/** In the facility, from an hour before to an hour after {@link NOW}, unless changed. */
const session = (sessionId: string, changed: object = {}) => ({
  ...{ municipalityId: 1, sourceCode: 'app1', sessionId, areaId: 2, plate: sessionId.toUpperCase() },
  ...{ startsAt: NOW - HOUR_MS, endsAt: (NOW + HOUR_MS) as number | null },
  ...changed,
});
const inStreet = (sessionId: string, startsAt: number, endsAt: number, plate = sessionId.toUpperCase()) =>
  session(sessionId, { areaId: 1, startsAt, endsAt, plate });

const title = (id: number, subscriptionNumber: string, changed: object = {}) => ({
  ...SUBSCRIPTION,
  ...{ id, subscriptionNumber },
  ...changed,
});
const onTitle = (subscriptionId: number, plate: string, changed: object = {}) => ({
  ...{ subscriptionId, municipalityId: 1, plate },
  ...changed,
});

/** Rome with plates whose names say what they hold at {@link NOW}. */
export const CITY_OF_PLATES = {
  ...CITY,
  municipalities: [ROME, { ...ROME, id: 2, code: 'NOSUB', name: 'Senza', subscriptionsEnabled: false }],
  areas: [
    STREET,
    FACILITY,
    { ...STREET, id: 3, code: 'CLOSED', active: false },
    { ...FACILITY, id: 5, municipalityId: 2, code: 'P1' },
  ],
  sources: [
    APP_SOURCE,
    { ...APP_SOURCE, id: 2, code: 'gone', active: false, openSessionMaxHours: 2 },
    { ...APP_SOURCE, id: 3, municipalityId: 2 },
  ],
  parkingSessions: [
    session('here'),
    inStreet('street', NOW - HOUR_MS, NOW + 1),
    session('early', { startsAt: NOW + 10 * MINUTE_MS }),
    session('open', { startsAt: NOW - 10 * HOUR_MS, endsAt: null }),
    session('forgotten', { sourceCode: 'gone', startsAt: NOW - 2 * HOUR_MS, endsAt: null }),
    session('off', { sourceCode: 'gone', areaId: 3 }),
    session('void', { cancelledAt: NOW }),
    inStreet('old', NOW - 30 * HOUR_MS, NOW - DAY_MS + 1),
    inStreet('older', NOW - 30 * HOUR_MS, NOW - DAY_MS, 'OLD'),
    inStreet('later', NOW + DAY_MS - 1, NOW + 2 * DAY_MS, 'OLD'),
    inStreet('too late', NOW + DAY_MS, NOW + 2 * DAY_MS, 'OLD'),
  ],
  subscriptions: [
    title(1, 'ALL'),
    title(2, 'LIMITED', { areas: ['P1'] }),
    title(3, 'PENDING', { approval: 'pending' }),
    title(4, 'REVOKED', { revokedAt: NOW }),
    title(5, 'ALL', { municipalityId: 2 }),
  ],
  subscriptionPlates: [
    ...[1, 3, 4].map((id) => onTitle(id, 'ALL')),
    onTitle(2, 'LIMITED'),
    onTitle(1, 'LEFT', { validFrom: NOW - 5, validUntil: NOW }),
    onTitle(1, 'BACK', { validFrom: NOW - 5, validUntil: NOW }),
    onTitle(1, 'BACK', { validFrom: NOW }),
    onTitle(5, 'ALL', { municipalityId: 2 }),
  ],
  subscriptionPeriods: [1, 2, 3, 4, 5].map((subscriptionId) => ({
    subscriptionId,
    startsAt: NOW - HOUR_MS,
    endsAt: NOW + HOUR_MS,
  })),
} satisfies Seed;
