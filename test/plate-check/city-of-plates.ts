import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, type Seed, STREET } from '../support/seed.ts';

/** A Saturday noon in Rome. */
export const NOW = Date.UTC(2026, 2, 7, 11);

const session = { municipalityId: 1, sourceCode: 'app1' };
const subscription = { municipalityId: 1, typeId: 1, approval: 'approved' as const };

/** Rome with plates whose names say what they hold at {@link NOW}. */
export const CITY_OF_PLATES = {
  ...CITY,
  municipalities: [ROME, { ...ROME, id: 2, code: 'NOSUB', name: 'Senza', subscriptionsEnabled: false }],
  areas: [
    STREET,
    FACILITY,
    { ...STREET, id: 3, code: 'CLOSED', active: false },
    { ...FACILITY, id: 4, code: 'CLOSED-P', active: false },
    { ...FACILITY, id: 5, municipalityId: 2, code: 'P1' },
  ],
  sources: [
    APP_SOURCE,
    { ...APP_SOURCE, id: 2, code: 'gone', active: false, openSessionMaxHours: 2 },
    { ...APP_SOURCE, id: 3, municipalityId: 2 },
  ],
  parkingSessions: [
    {
      ...session,
      sessionId: 'here',
      areaId: 2,
      plate: 'HERE',
      startsAt: NOW - HOUR_MS,
      endsAt: NOW + HOUR_MS,
    },
    {
      ...session,
      sessionId: 'street',
      areaId: 1,
      plate: 'STREET',
      startsAt: NOW - HOUR_MS,
      endsAt: NOW + 1,
    },
    {
      ...session,
      sessionId: 'early',
      areaId: 2,
      plate: 'EARLY',
      startsAt: NOW + 10 * MINUTE_MS,
      endsAt: NOW + HOUR_MS,
    },
    { ...session, sessionId: 'open', areaId: 2, plate: 'OPEN', startsAt: NOW - 10 * HOUR_MS },
    {
      ...session,
      sourceCode: 'gone',
      sessionId: 'forgotten',
      areaId: 2,
      plate: 'FORGOTTEN',
      startsAt: NOW - 2 * HOUR_MS,
    },
    {
      ...session,
      sourceCode: 'gone',
      sessionId: 'off',
      areaId: 3,
      plate: 'OFF',
      startsAt: NOW - HOUR_MS,
      endsAt: NOW + HOUR_MS,
    },
    {
      ...session,
      sessionId: 'void',
      areaId: 2,
      plate: 'VOID',
      startsAt: NOW - HOUR_MS,
      endsAt: NOW + HOUR_MS,
      cancelledAt: NOW,
    },
    {
      ...session,
      sessionId: 'old',
      areaId: 1,
      plate: 'OLD',
      startsAt: NOW - 30 * HOUR_MS,
      endsAt: NOW - DAY_MS + 1,
    },
    {
      ...session,
      sessionId: 'older',
      areaId: 1,
      plate: 'OLD',
      startsAt: NOW - 30 * HOUR_MS,
      endsAt: NOW - DAY_MS,
    },
    {
      ...session,
      sessionId: 'later',
      areaId: 1,
      plate: 'OLD',
      startsAt: NOW + DAY_MS - 1,
      endsAt: NOW + 2 * DAY_MS,
    },
    {
      ...session,
      sessionId: 'too late',
      areaId: 1,
      plate: 'OLD',
      startsAt: NOW + DAY_MS,
      endsAt: NOW + 2 * DAY_MS,
    },
    ...Array.from({ length: 60 }, (_, index) => ({
      ...session,
      sessionId: `many ${index}`,
      areaId: 1,
      plate: 'MANY',
      startsAt: NOW - (index + 1) * 60_000,
      endsAt: index === 59 ? NOW + 1 : NOW,
    })),
  ],
  subscriptions: [
    { ...subscription, id: 1, subscriptionNumber: 'ALL' },
    { ...subscription, id: 2, subscriptionNumber: 'LIMITED', areas: ['P1'] },
    { ...subscription, id: 3, subscriptionNumber: 'PENDING', approval: 'pending' },
    { ...subscription, id: 4, subscriptionNumber: 'REVOKED', revokedAt: NOW },
    { ...subscription, id: 5, municipalityId: 2, subscriptionNumber: 'ALL' },
  ],
  subscriptionPlates: [
    { subscriptionId: 1, municipalityId: 1, plate: 'ALL' },
    { subscriptionId: 2, municipalityId: 1, plate: 'LIMITED' },
    { subscriptionId: 3, municipalityId: 1, plate: 'ALL' },
    { subscriptionId: 4, municipalityId: 1, plate: 'ALL' },
    { subscriptionId: 1, municipalityId: 1, plate: 'LEFT', validFrom: NOW - 5, validUntil: NOW },
    { subscriptionId: 1, municipalityId: 1, plate: 'BACK', validFrom: NOW - 5, validUntil: NOW },
    { subscriptionId: 1, municipalityId: 1, plate: 'BACK', validFrom: NOW },
    { subscriptionId: 5, municipalityId: 2, plate: 'ALL' },
  ],
  subscriptionPeriods: [1, 2, 3, 4, 5].map((subscriptionId) => ({
    subscriptionId,
    startsAt: NOW - HOUR_MS,
    endsAt: NOW + HOUR_MS,
  })),
} satisfies Seed;
