import { describe, expect, it } from 'vitest';
import { isRecent, type Snapshot } from '../../src/core/snapshots/snapshot.ts';
import {
  findLine,
  joinLines,
  linesOf,
  onDemandKey,
  packKey,
  packSnapshot,
  unpackSnapshot,
} from '../../src/core/snapshots/snapshot-store.ts';
import { instant } from '../../src/domain/instant.ts';
import { NO_VEHICLES } from '../../src/domain/occupancy.ts';

const AT = instant(Date.UTC(2026, 2, 7, 11));

const snapshotOf = (code: string): Snapshot => ({
  at: AT,
  computedAt: instant(AT + 1_500),
  municipality: {
    id: 7,
    code,
    name: 'Città "nuova"\u2028\\',
    timeZone: 'Europe/Rome',
    country: 'IT',
    tenantId: 3,
    tenantActive: true,
    reportEnabled: false,
    publicMaxAgeMinutes: 60,
    dataProtectionUrl: 'https://a.example/privacy',
    accessibilityUrl: null,
  },
  sources: [
    {
      id: 1,
      code: 'app1',
      name: 'App',
      category: 'app',
      active: false,
      isSystem: true,
      staleAfterMinutes: 15,
      lastOutcome: 'failed',
      lastSuccessfulAt: AT,
    },
    {
      id: 2,
      code: 'app2',
      name: 'App',
      category: 'app',
      active: true,
      isSystem: false,
      staleAfterMinutes: 1,
      lastOutcome: null,
      lastSuccessfulAt: null,
    },
    {
      id: 3,
      code: 'app3',
      name: 'App',
      category: 'app',
      active: true,
      isSystem: false,
      staleAfterMinutes: 0,
      lastOutcome: 'succeeded',
      lastSuccessfulAt: AT,
    },
  ],
  areas: [
    {
      id: 5,
      code: 'S1',
      name: 'Via Roma',
      areaType: 'street',
      capacity: null,
      coordinates: null,
      details: {
        address: null,
        website: null,
        priceNote: null,
        maxHeightCm: null,
        disabledSpaces: null,
        chargingSpaces: null,
        closedUntil: null,
        paymentDue: true,
        paymentDueChangesAt: null,
        paidHours: null,
      },
      all: { activeNow: 1, activeAfter30: 2, activeAfter60: 3, endingWithin30: 4, endingBetween30And60: 5 },
      bySource: new Map([[2, { ...NO_VEHICLES, activeNow: 1 }]]),
    },
    {
      id: 6,
      code: 'P1',
      name: 'P',
      areaType: 'facility',
      capacity: 0,
      coordinates: { latitude: -90, longitude: 12.496400000000001 },
      details: {
        address: 'Via "Roma"\u2028',
        website: 'https://a.example/',
        priceNote: '2 €',
        maxHeightCm: 210,
        disabledSpaces: 0,
        chargingSpaces: 4,
        closedUntil: AT,
        paymentDue: false,
        paymentDueChangesAt: AT,
        paidHours: [
          { days: ['mon', 'sat', 'holiday'], from: '08:00', to: '24:00' },
          { days: ['sun'], from: '10:30', to: '12:00' },
        ],
      },
      all: NO_VEHICLES,
      bySource: new Map(),
    },
  ],
});

describe('A packed snapshot', () => {
  it('comes back as it was', () => {
    expect(unpackSnapshot(packSnapshot(snapshotOf('H501')))).toEqual(snapshotOf('H501'));
  });

  it('is found in its pack by its whole code alone, whatever the code', () => {
    const codes = ['H501', 'H50', 'H5011', '"', '",', '[H501', 'ù', 'a\u2028b', '\\n'];
    const value = joinLines(codes.map((code) => packSnapshot(snapshotOf(code))));
    for (const code of codes) {
      expect(unpackSnapshot(findLine(value, code) ?? '').municipality.code).toBe(code);
    }
    for (const code of ['H', '501', 'h501', 'snapshots/2', '']) expect(findLine(value, code)).toBeNull();
  });

  it('is not found in a value of another version, or in anything else', () => {
    const value = joinLines([packSnapshot(snapshotOf('H501'))]);
    for (const other of [value.replace('snapshots/2', 'snapshots/0'), value.slice(1), '', '{}', 'null']) {
      expect(findLine(other, 'H501')).toBeNull();
    }
  });

  it('is listed by its code, whatever the code, in a value of this version alone', () => {
    const codes = ['H501', 'H50', '"', '",', '[H501', 'ù', 'a\u2028b', '\\n', '\\'];
    const lines = codes.map((code) => packSnapshot(snapshotOf(code)));
    expect([...linesOf(joinLines(lines))]).toEqual(codes.map((code, index) => [code, lines[index]]));
    expect(linesOf(joinLines([])).size).toBe(0);
    expect(linesOf(joinLines(lines).replace('snapshots/2', 'snapshots/0')).size).toBe(0);
  });

  it('has nothing of an area’s details where there are none: most have none', () => {
    const [street] = snapshotOf('H501').areas;
    if (street === undefined) throw new Error('no area');
    const sizeWith = (deviation: Partial<typeof street.details>) => {
      const details = { ...street.details, ...deviation };
      const snapshot = { ...snapshotOf('H501'), areas: [{ ...street, details }] };
      expect(unpackSnapshot(packSnapshot(snapshot))).toEqual(snapshot);
      return packSnapshot(snapshot).length;
    };
    const none = sizeWith({});
    expect(sizeWith({ paymentDue: false })).toBeGreaterThan(none + 10);
    expect(sizeWith({ disabledSpaces: 2 })).toBeGreaterThan(none + 10);
  });

  const line = packSnapshot(snapshotOf('H501'));
  it.each([
    ['cut off', line.slice(0, -1)],
    ['with an instant that is a text', line.replace(String(AT), `"${AT}"`)],
    ['with no instant of its computation', line.replace(`,${AT + 1_500},`, ',')],
    ['with an instant out of range', line.replace(`,${AT},`, `,${8.64e15 + 1},`)],
    ['with a negative counter', line.replace('[1,2,3,4,5]', '[1,2,-3,4,5]')],
    ['with a counter missing', line.replace('[1,2,3,4,5]', '[1,2,3,4]')],
    ['with a fraction', line.replace('[1,2,3,4,5]', '[1,2,3,4,5.5]')],
    ['with another area type', line.replace('"street"', '"garden"')],
    ['with one thing too many', `${line.slice(0, -1)},1]`],
    ['that is not an array', '{}'],
  ])('%s is refused, never repaired', (_, broken) => {
    expect(broken).not.toBe(line);
    expect(() => unpackSnapshot(broken)).toThrow();
  });
});

describe('The packs', () => {
  it('have the same keys for ever: a release finds what the one before has written', () => {
    expect(['H501', 'F205', ''].map(packKey)).toEqual(['minute:9', 'minute:18', 'minute:5']);
  });

  it('are apart from what a report has left for one municipality', () => {
    expect(onDemandKey('H501')).toBe('spot:H501');
  });

  it('are few, and share the municipalities evenly', () => {
    const codes = Array.from({ length: 1_000 }, (_, index) => `H${String(index).padStart(3, '0')}`);
    const sizes = [...Map.groupBy(codes, packKey).values()].map(({ length }) => length);
    expect(sizes.length).toBe(32);
    expect(Math.max(...sizes)).toBeLessThan(80);
  });
});

describe('A snapshot is recent', () => {
  it.each([
    [0, true],
    [120_000, true],
    [120_001, false],
    [-5_000, true],
    [-5_001, false],
  ])('%i ms after its instant: %s', (age, recent) => {
    expect(isRecent(snapshotOf('H501'), instant(AT + age))).toBe(recent);
  });
});
