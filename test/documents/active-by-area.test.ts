import { describe, expect, it } from 'vitest';
import { capacityFigures, capacityTotals } from '../../src/domain/capacity.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import {
  type Counters,
  countVehicles,
  endingWithin60,
  NO_VEHICLES,
  type Stay,
} from '../../src/domain/occupancy.ts';
import {
  FRESHNESS_STATUSES,
  type SourceImports,
  sourceFreshness,
} from '../../src/domain/source-freshness.ts';
import { NOON, noon } from '../domain/fixtures.ts';
import {
  expectPrecedence,
  isNumbered,
  listed,
  named,
  number,
  numberOrNull,
  Page,
  span,
  unique,
} from './page-tables.ts';

const PAGE = new Page('interface/active-by-area');
const AREA = 1;

const inMinutes = (cell: string) => noon(number(cell) * MINUTE_MS);

function countersOf(stays: readonly Stay[]): Counters {
  return countVehicles([AREA], stays, NOON).get(AREA)?.all ?? NO_VEHICLES;
}

describe('docs/interface/active-by-area.md says truly', () => {
  it.each(
    PAGE.rows(
      'sessions',
      'active_now',
      'active_after_30',
      'active_after_60',
      'ending_within_30',
      'ending_between_30_60',
      'ending_within_60',
    ),
  )('what a vehicle with the sessions $sessions adds', ({ sessions, ...said }) => {
    const stays = listed(sessions).map((text) => ({
      vehicle: 'A',
      areaId: AREA,
      sourceId: 1,
      ...span(text, inMinutes),
    }));
    const counters = countersOf(stays);
    expect(said).toEqual({
      active_now: String(counters.activeNow),
      active_after_30: String(counters.activeAfter30),
      active_after_60: String(counters.activeAfter60),
      ending_within_30: String(counters.endingWithin30),
      ending_between_30_60: String(counters.endingBetween30And60),
      ending_within_60: String(endingWithin60(counters)),
    });
  });

  it.each(
    PAGE.rows(
      'capacity',
      'active_now',
      'active_after_30',
      'active_after_60',
      'available_now',
      'available_after_30',
      'available_after_60',
      'excess_now',
      'occupancy_percent',
    ),
  )('the spaces of $capacity with $active_now active', (row) => {
    const figures = capacityFigures({
      capacity: numberOrNull(row.capacity),
      counters: {
        ...NO_VEHICLES,
        activeNow: number(row.active_now),
        activeAfter30: number(row.active_after_30),
        activeAfter60: number(row.active_after_60),
      },
    });
    expect(row).toMatchObject({
      available_now: String(figures?.availableNow ?? null),
      available_after_30: String(figures?.availableAfter30 ?? null),
      available_after_60: String(figures?.availableAfter60 ?? null),
      excess_now: String(figures?.excessNow ?? null),
      occupancy_percent: String(figures?.occupancyPercent ?? null),
    });
  });

  const TOTALS = PAGE.rows(
    'areas, as active_now of capacity',
    'available_now',
    'excess_now',
    'spaces_count',
    'occupancy_percent',
    'unconfigured_count',
  );
  it.each(named(TOTALS, 'areas, as active_now of capacity'))(
    'the totals of %s',
    (areas, { 'areas, as active_now of capacity': _, ...said }) => {
      const totals = capacityTotals(
        listed(areas).map((text) => {
          const [active = '', capacity = ''] = text.split(' of ');
          return {
            capacity: numberOrNull(capacity),
            counters: { ...NO_VEHICLES, activeNow: number(active) },
          };
        }),
      );
      expect(said).toEqual({
        available_now: String(totals.availableNow),
        excess_now: String(totals.excessNow),
        spaces_count: String(totals.spacesCount),
        occupancy_percent: String(totals.occupancyPercent),
        unconfigured_count: String(totals.unconfiguredCount),
      });
    },
  );

  describe('of a source', () => {
    const rows = PAGE.rows('#', 'when', 'status', 'means');
    const FRESH: SourceImports = {
      isSystem: false,
      staleAfterMinutes: 15,
      lastOutcome: 'succeeded',
      lastSuccessfulAt: NOON,
    };
    const CAUSES: Readonly<Record<string, Partial<SourceImports>>> = {
      'it is a system source': { isSystem: true },
      'its last import failed': { lastOutcome: 'failed' },
      'no import has ever succeeded': { lastSuccessfulAt: null },
      'its last success is more than stale_after_minutes ago': { lastSuccessfulAt: noon(-901 * SECOND_MS) },
      otherwise: {},
    };
    const statusOf = (cause: Partial<SourceImports>) => sourceFreshness({ ...FRESH, ...cause }, NOON);

    it('every status, in the order of precedence', () => {
      expect(rows.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
      expect(isNumbered(rows)).toBe(true);
      expect(unique(rows.map(({ status }) => status))).toEqual(unique(FRESHNESS_STATUSES));
      expectPrecedence(
        CAUSES,
        rows.map(({ status }) => status),
        statusOf,
      );
    });

    it.each(named(PAGE.rows('last success', 'status'), 'status', 'last success'))('that is %s', (_, row) => {
      const lastSuccessfulAt = noon(-Number.parseInt(row['last success'], 10) * SECOND_MS);
      expect(statusOf({ lastSuccessfulAt })).toBe(row.status);
    });
  });
});
