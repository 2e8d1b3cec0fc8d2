import { describe, expect, it } from 'vitest';

import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { planExpiry } from '../../src/domain/plan-expiry.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Random } from './random.ts';

const ZONES = ['Europe/Rome', 'Atlantic/Azores', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Apia', 'UTC'];
const ROUNDS = shortOrThorough(2_000, 10_000);
/** Clocks change on these nights, or have changed within the days around them; and ends of months. */
const EDGES = [
  '2026-03-29',
  '2026-10-25',
  '2026-01-31',
  '2028-02-29',
  '2026-12-31',
  '2011-12-30',
  '2026-04-05',
];

interface Case {
  readonly at: number;
  readonly expiry: number | null;
  readonly units: readonly [years: number, months: number, weeks: number, days: number];
  readonly zone: string;
}

function aCase(random: Random): Case {
  const near = () =>
    random.oneIn(2)
      ? Date.parse(`${random.pick(EDGES)}T00:00Z`) + (random.below(4 * 1440) - 2 * 1440) * 60_000
      : Date.UTC(2000, 0, 1) + random.below(60 * 365) * DAY_MS + random.below(DAY_MS);
  const unit = (most: number) => (random.oneIn(2) ? random.below(most) : 0);
  const [years, months, weeks, days] = [unit(5), unit(30), unit(10), unit(400)];
  return {
    at: near(),
    expiry: random.oneIn(2) ? near() : null,
    units: [years, months, weeks, years + months + weeks > 0 ? days : days + 1],
    zone: random.pick(ZONES),
  };
}

/** The same from scratch: the zone's own clock face as Intl prints it, and a calendar counted by hand. */
function naiveExpiry({ at, expiry, units, zone }: Case): string {
  const clock = face(at, zone);
  let [year, month, day] = expiry === null ? clock.date : face(expiry, zone).date;
  const [years, months, weeks, days] = units;
  year += years;
  for (let i = 0; i < months; i++) {
    month = month === 12 ? 1 : month + 1;
    if (month === 1) year++;
  }
  day = Math.min(day, lengthOfMonth(year, month));
  for (let i = 0; i < weeks * 7 + days; i++) {
    day++;
    if (day <= lengthOfMonth(year, month)) continue;
    day = 1;
    month++;
    if (month <= 12) continue;
    month = 1;
    year++;
  }
  const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);
  return `${clock.time} ${two(day)}/${two(month)}/${year}`;
}

function lengthOfMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

const faces = new Map<string, Intl.DateTimeFormat>();

function face(ms: number, zone: string): { date: [number, number, number]; time: string } {
  const format =
    faces.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
  faces.set(zone, format);
  const [date = '', time = ''] = format.format(ms).split(', ');
  const [day = 0, month = 0, year = 0] = date.split('/').map(Number);
  return { date: [year, month, day], time };
}

function isoOf([years, months, weeks, days]: Case['units']): string {
  return `P${years}Y${months}M${weeks}W${days}D`;
}

describe('The expiry of a plan', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);

  it(`is what a second calculation says, ${ROUNDS} times from seed ${seed}`, () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round++) {
      const drawn = aCase(random);
      const expiry = planExpiry({
        at: instant(drawn.at),
        currentExpiry: drawn.expiry === null ? null : instant(drawn.expiry),
        duration: isoOf(drawn.units),
        timeZone: drawn.zone,
      });
      expect(expiry, `seed ${seed}, round ${round}: ${JSON.stringify(drawn)}`).toBe(naiveExpiry(drawn));
    }
  });
});
