import { MINUTE_MS } from '../../src/domain/instant.ts';
import {
  APP_SOURCE,
  CITY,
  FACILITY,
  importEnded,
  ROME,
  type Seed,
  STREET,
  SUBSCRIPTION,
} from '../support/seed.ts';

/** A Saturday noon in Rome. */
export const NOW = Date.parse('2026-03-07T12:00:00+01:00');
const minutes = (count: number): number => NOW + count * MINUTE_MS;
export const iso = (ms: number): string => new Date(ms).toISOString();

const AREAS = { street: 1, facility: 2, next: 3, closed: 4, free: 5 } as const;

const session = (plate: string, from: number, until: number | null, area: keyof typeof AREAS = 'street') => ({
  municipalityId: 1,
  sourceCode: 'app1',
  sessionId: `${plate} ${area}`,
  areaId: AREAS[area],
  plate,
  startsAt: minutes(from),
  endsAt: until === null ? null : minutes(until),
});

const title = (id: number, plate: string, changed: object, period?: readonly [number, number]) => ({
  subscription: { ...SUBSCRIPTION, id, subscriptionNumber: `N${id}`, ...changed },
  plate: { subscriptionId: id, municipalityId: 1, plate },
  period: period && { subscriptionId: id, startsAt: minutes(period[0]), endsAt: minutes(period[1]) },
});
const TITLES = [
  title(1, 'TITLE', {}, [-60, 60]),
  title(2, 'FIRST', {}),
  title(4, 'ELSEWHERE', { areas: ['S2'] }, [-60, 60]),
  title(5, 'OFFTITLE', { areas: ['S3'] }, [-60, 60]),
];

/**
 * A street with an observation of 5 minutes, and 10 that are let pass. The source reports within a minute, and has
 * reported up to now: nobody who was seen 6 minutes ago waits for it.
 */
export const A_STREET = {
  ...CITY,
  municipalities: [{ ...ROME, observationMinutes: 5, overstayMinutes: 10, holidays: ['2026-12-25'] }],
  areas: [
    STREET,
    FACILITY,
    { ...STREET, id: 3, code: 'S2', name: 'Via Milano' },
    { ...STREET, id: 4, code: 'S3', name: 'Via Chiusa', active: false },
    {
      ...STREET,
      id: 5,
      code: 'S4',
      name: 'Via Libera',
      paidHours: [{ days: ['sun' as const], from: '00:00', to: '24:00' }],
    },
  ],
  sources: [
    { ...APP_SOURCE, reportDelayMinutes: 1 },
    { ...APP_SOURCE, id: 2, code: 'off', active: false },
  ],
  imports: [importEnded(NOW)],
  parkingSessions: [
    session('HERE', -30, 30),
    session('RUNNING', -30, null),
    session('JUSTENDED', -60, -12),
    session('BEFORE', -60, -16),
    session('PAIDAFTER', -3, 30),
    session('NEXT', -30, 30, 'next'),
    session('NEXTDOOR', -30, 30, 'closed'),
    session('GARAGE', -60, -10, 'facility'),
    // One slip from ABC0DEF.
    session('ABCODEF', -30, 30),
  ],
  subscriptions: TITLES.map(({ subscription }) => subscription),
  subscriptionPlates: TITLES.map(({ plate }) => plate),
  subscriptionPeriods: TITLES.flatMap(({ period }) => (period ? [period] : [])),
} satisfies Seed;

/** Seen so long ago that time settles nothing any more. */
export const SEEN = iso(NOW - 6 * MINUTE_MS);
