import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import type { Random } from '../domain/random.ts';

/** What happens in a history: each step is one call of the service. */
export type Step =
  | { readonly kind: 'configuration'; readonly document: object }
  | { readonly kind: 'sessions'; readonly source: string; readonly lines: readonly object[] }
  | { readonly kind: 'subscriptions'; readonly lines: readonly object[] }
  | { readonly kind: 'check'; readonly path: string; readonly body: CheckBody; readonly language: string };

export interface CheckBody {
  readonly plate: string;
  readonly municipality_code?: string;
  readonly area_code?: string;
  readonly event?: string;
  readonly checked_at?: string;
}

export const V1 = '/api/v1/parking/check-plate';
const CHECKS = ['/api/v2/parking-entitlements/search', '/api/v2/parking/check-plate', V1];

/** The same plate is written in several ways. */
const PLATES = ['AB123CD', 'ab-123 cd', 'ÀB123CD', 'ZZ999ZZ', 'X1'];
const AREAS = ['S1', 'S2', 'P1', 'P2'];
/** The last one comes with a later configuration; the very last never does. */
const ASKED_AREAS = [...AREAS, 'P9', 'NONE'];
const SOURCES = ['app1', 'app2'];
/** Some are all but the same instant: boundaries are met, not passed by. */
const PAUSES = [1, 1, 2, SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS];
const MAX_LISTED_SESSIONS = 50;

const iso = (at: number): string => new Date(at).toISOString();

/** How long it takes until the next step. */
export const pause = (random: Random): number => random.pick(PAUSES);

/** The next step. Most are checks, and imports are more frequent than changes of the configuration. */
export function nextStep(random: Random, code: string, now: number): Step {
  const draw = random.below(20);
  if (draw < 2) {
    return { kind: 'configuration', document: changedDocument(random, code) };
  }
  if (draw < 7) {
    return { kind: 'sessions', source: random.pick(SOURCES), lines: sessionLines(random, now) };
  }
  if (draw < 10) {
    const lines = random.list(1 + random.below(2), () => subscriptionLine(random, now));
    return { kind: 'subscriptions', lines };
  }
  return {
    kind: 'check',
    path: random.pick(CHECKS),
    body: checkBody(random, code, now),
    language: random.pick(['en', 'it']),
  };
}

/** The municipality as it begins. */
export const firstDocument = (code: string) => ({
  tenants: [{ code: 'acme', name: 'Acme Parking' }],
  municipalities: [
    {
      ...{ code, name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
      areas: AREAS.map((area) => ({
        code: area,
        name: `Area ${area}`,
        area_type: area.startsWith('P') ? 'facility' : 'street',
        ...(area.startsWith('P') && {
          facility: { subscription_access: true, entry_grace_minutes: 10, exit_grace_minutes: 15 },
        }),
      })),
      sources: SOURCES.map((source) => ({ code: source, name: source, category: 'app' })),
      subscription_types: [{ code: 'RES', name: 'Residents' }],
    },
  ],
});

/** The municipality is switched on, as evidence needs it. Areas and services stay as they are. */
export const lastDocument = (code: string) => ({ municipalities: [{ code, active: true }] });

function changedDocument(random: Random, code: string): object {
  const name = `Name ${random.below(1_000)}`;
  const mostly = () => !random.oneIn(5);
  const area = random.pick(AREAS);
  switch (random.below(9)) {
    case 0:
      return { municipalities: [{ code, areas: [{ code: area, name, active: mostly() }] }] };
    case 1:
      return { municipalities: [{ code, areas: [{ code: area, capacity: random.below(100) }] }] };
    case 2:
      return {
        municipalities: [{ code, areas: [{ code: random.pick(['P1', 'P2']), facility: facility(random) }] }],
      };
    case 3: {
      const services = { plate_check: mostly(), subscriptions: mostly(), report: mostly() };
      return { municipalities: [{ code, services }] };
    }
    case 4: {
      const source = { code: random.pick(SOURCES), open_session_max_hours: random.pick([1, 2, 24, 72]) };
      return { municipalities: [{ code, sources: [{ ...source, name, active: mostly() }] }] };
    }
    case 5:
      return {
        municipalities: [
          { code, name, timezone: random.pick(['Europe/Rome', 'Asia/Tokyo', 'America/St_Johns']) },
        ],
      };
    case 6: {
      const types = [{ code: 'RES', name, freely_sold: random.oneIn(2) }];
      return { municipalities: [{ code, subscription_types: types }] };
    }
    case 7: {
      const area_type = random.pick(['street', 'facility']);
      return {
        municipalities: [{ code, areas: [{ code: random.pick([...AREAS, 'P9']), name, area_type }] }],
      };
    }
    default:
      return { municipalities: [{ code, active: random.oneIn(2) }] };
  }
}

const facility = (random: Random) => ({
  service_enabled: !random.oneIn(5),
  plate_control_enabled: !random.oneIn(5),
  subscription_access: random.oneIn(2),
  entry_grace_minutes: random.pick([0, 1, 10, 60, 1_440]),
  exit_grace_minutes: random.pick([0, 1, 15, 60, 1_440]),
});

/** An instant around now, often on a boundary that other steps use too. */
const around = (random: Random, now: number): number =>
  Math.floor(now / HOUR_MS) * HOUR_MS +
  (random.below(60) - 30) * HOUR_MS +
  random.pick([0, 0, 0, MINUTE_MS, -1, 1]);

/** Instants are of milliseconds at the finest: an end lies later than its start. */
const later = (random: Random, start: number): number =>
  start + random.pick([1, MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 30 * HOUR_MS]);

function sessionLines(random: Random, now: number): object[] {
  if (random.oneIn(12)) {
    // More than an answer lists, of which many start at once.
    const starts_at = iso(around(random, now));
    const common = { plate: random.pick(PLATES), area_code: random.pick(AREAS), starts_at };
    return random.list(MAX_LISTED_SESSIONS + 5, (index) => ({ ...common, session_id: `many ${index}` }));
  }
  return random.list(1 + random.below(3), () => sessionLine(random, now));
}

function sessionLine(random: Random, now: number): object {
  const start = around(random, now);
  return {
    session_id: `s-${random.below(6)}`,
    plate: random.pick(PLATES),
    area_code: random.pick(AREAS),
    starts_at: iso(start),
    ends_at: random.oneIn(3) ? null : iso(later(random, start)),
    cancelled_at: random.oneIn(5) ? iso(around(random, now)) : null,
    revision: random.oneIn(3) ? random.below(4) : null,
  };
}

function subscriptionLine(random: Random, now: number): object {
  const maybe = <Value>(times: number, value: () => Value) => (random.oneIn(times) ? value() : null);
  const from = around(random, now) - 40 * HOUR_MS;
  const suspended = maybe(4, () => around(random, now));
  const first = around(random, now) - 20 * HOUR_MS;
  const second = later(random, first);
  return {
    subscription_number: `n-${random.below(3)}`,
    revision: maybe(4, () => random.below(4)),
    type: 'RES',
    plates: random.list(random.below(3), () => ({
      plate: random.pick(PLATES),
      valid_from: maybe(3, () => iso(around(random, now) - 20 * HOUR_MS)),
      valid_until: null,
    })),
    approval: random.oneIn(6) ? random.pick(['pending', 'rejected']) : 'approved',
    authorized_from: maybe(2, () => iso(from)),
    authorized_until: maybe(3, () => iso(from + 100 * HOUR_MS)),
    areas: random.pick(['all', ['P1'], ['S1', 'P2']]),
    suspended_from: suspended === null ? null : iso(suspended),
    suspended_until: suspended === null ? null : maybe(2, () => iso(later(random, suspended))),
    revoked_at: maybe(6, () => iso(around(random, now))),
    periods: random.oneIn(5)
      ? []
      : [
          { starts_at: iso(first), ends_at: iso(second) },
          { starts_at: iso(second), ends_at: iso(second + 30 * HOUR_MS) },
        ],
  };
}

function checkBody(random: Random, code: string, now: number): CheckBody {
  const area = random.oneIn(4) ? null : random.pick(ASKED_AREAS);
  const past = () => Math.min(around(random, now), now);
  const asked = random.pick([null, null, () => past(), () => now - 1, () => now + 5_000]);
  return {
    plate: random.pick(PLATES),
    ...(random.oneIn(2) && { municipality_code: code }),
    ...(area !== null && { area_code: area, event: random.pick(['verify', 'entry', 'exit']) }),
    ...(asked !== null && { checked_at: iso(asked()) }),
  };
}
