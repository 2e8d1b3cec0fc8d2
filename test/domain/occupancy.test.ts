import { describe, expect, it } from 'vitest';
import { HOUR_MS, type Instant, MINUTE_MS } from '../../src/domain/instant.ts';
import {
  countVehicles,
  endingWithin60,
  NO_VEHICLES,
  type Stay,
  sumOf,
  validTime,
} from '../../src/domain/occupancy.ts';
import { noon } from './fixtures.ts';

/** A vehicle that is in an area from an hour before noon on for two hours, with one deviation a test. */
const aStay = (deviation: Partial<Stay> = {}): Stay => ({
  plate: 'AB123CD',
  from: noon(-HOUR_MS),
  until: noon(HOUR_MS + 1),
  ...deviation,
});

const count = (...stays: Stay[]) => countVehicles(stays, noon());

/** [active now, after 30, after 60, ending within 30, between 30 and 60] */
const counters = (now: number, after30: number, after60: number, within30: number, between: number) => ({
  activeNow: now,
  activeAfter30: after30,
  activeAfter60: after60,
  endingWithin30: within30,
  endingBetween30And60: between,
});
const minutes = (n: number) => n * MINUTE_MS;

describe('A vehicle', () => {
  it.each<[string, number, number, ReturnType<typeof counters>]>([
    ['that stays on is active throughout', 0, minutes(60) + 1, counters(1, 1, 1, 0, 0)],
    ['that leaves at noon is not active', -1, 0, counters(0, 0, 0, 0, 0)],
    ['that leaves a moment after noon ends within 30', -1, 1, counters(1, 0, 0, 1, 0)],
    ['that leaves in 30 minutes ends within 30', 0, minutes(30), counters(1, 0, 0, 1, 0)],
    ['that leaves a moment after ends between 30 and 60', 0, minutes(30) + 1, counters(1, 1, 0, 0, 1)],
    ['that leaves in 60 minutes ends between 30 and 60', 0, minutes(60), counters(1, 1, 0, 0, 1)],
    ['that comes a moment after noon is active later', 1, minutes(90), counters(0, 1, 1, 0, 0)],
    ['that comes in 30 minutes is active then', minutes(30), minutes(31), counters(0, 1, 0, 0, 0)],
    ['that comes a moment after is active in 60', minutes(30) + 1, minutes(61), counters(0, 0, 1, 0, 0)],
    ['that comes in 60 minutes is active then', minutes(60), minutes(61), counters(0, 0, 1, 0, 0)],
    ['that comes a moment after does not count', minutes(60) + 1, minutes(90), counters(0, 0, 0, 0, 0)],
  ])('%s', (_, from, until, expected) => {
    expect(count(aStay({ from: noon(from), until: noon(until) }))).toEqual(expected);
  });

  it('and another one are two, at each horizon', () => {
    const another = aStay({ plate: 'EF456GH' });
    expect(count(aStay(), another)).toEqual(counters(2, 2, 2, 0, 0));
  });

  it('with two sessions in an area is one', () => {
    expect(count(aStay(), aStay({ from: noon() }))).toEqual(counters(1, 1, 1, 0, 0));
  });

  it('whose next session begins as the first ends does not end', () => {
    const first = aStay({ until: noon(minutes(20)) });
    const next = aStay({ from: noon(minutes(20)), until: noon(minutes(50)) });
    expect(count(first, next)).toEqual(counters(1, 1, 0, 0, 1));
  });

  it('that leaves and comes back within the hour ends, and is active again', () => {
    const first = aStay({ until: noon(minutes(20)) });
    const back = aStay({ from: noon(minutes(40)) });
    expect(count(first, back)).toEqual(counters(1, 0, 1, 1, 0));
  });
});

describe('Counters', () => {
  it('add up, each on its own', () => {
    const sum = sumOf([counters(5, 4, 3, 2, 1), counters(10, 20, 30, 40, 50)]);
    expect(sum).toEqual(counters(15, 24, 33, 42, 51));
    expect(endingWithin60(sum)).toBe(42 + 51);
    expect(sumOf([])).toEqual(NO_VEHICLES);
  });

  it('of no stays are zero', () => {
    expect(count()).toEqual(NO_VEHICLES);
  });
});

describe('A session is valid', () => {
  const session = {
    startsAt: noon(),
    endsAt: noon(HOUR_MS) as Instant | null,
    cancelledAt: null as Instant | null,
    openSessionMaxHours: 3,
  };

  it.each([
    ['from its start to its end', {}, HOUR_MS],
    ['to its cancellation, when that is before its end', { cancelledAt: noon(1) }, 1],
    ['to its end, when it is cancelled after that', { cancelledAt: noon(HOUR_MS + 1) }, HOUR_MS],
    ['for the patience of its source, while it has no end', { endsAt: null }, 3 * HOUR_MS],
    ['never, when it was cancelled before its start', { cancelledAt: noon(-1) }, -1],
  ])('%s', (_, deviation, until) => {
    expect(validTime({ ...session, ...deviation })).toEqual({ from: noon(), until: noon(until) });
  });
});
