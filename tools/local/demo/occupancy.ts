import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { Temporal } from 'temporal-polyfill/implementation';
import * as z from 'zod';
import type { Instant } from '../../../src/domain/instant.ts';
import type { DemoArea } from './areas.ts';
import { Random } from './random.ts';

const DAY_MINUTES = 24 * 60;
const SATURDAY = 6;

/** An area without a capacity has this many vehicles, and up to the spread more. */
const FEWEST_ON_A_STREET = 8;
const SPREAD_ON_A_STREET = 25;

const reading = z
  .object({ day: z.enum(['weekday', 'weekend']), half_hour: z.string(), mean_occupancy: z.coerce.number() })
  .transform(({ day, half_hour, mean_occupancy }) => {
    const [hour, minute] = half_hour.split(':').map(Number);
    return { day, minuteOfDay: (hour ?? 0) * 60 + (minute ?? 0), occupancy: mean_occupancy };
  });

/** The occupied share of a car park, by time of day, on a weekday and on a day of the weekend. */
export type OccupancyCurve = readonly Readonly<z.infer<typeof reading>>[];

/** Reads the curve of `occupancy-curve.csv`. */
export function readOccupancyCurve(): OccupancyCurve {
  const text = readFileSync(new URL('../data/occupancy-curve.csv', import.meta.url), 'utf8');
  return z.array(reading).parse(parse(text, { columns: true }));
}

/**
 * How many vehicles are in an area: those that were observed, if any; else the day's curve × capacity; without a capacity, a
 * small constant number.
 */
export function vehiclesIn(area: DemoArea, curve: OccupancyCurve, now: Instant, timeZone: string): number {
  return vehicles(area, (capacity) => capacity * occupancyAt(curve, now, timeZone));
}

/** The maximum of `vehiclesIn` for an area. */
export function mostVehiclesIn(area: DemoArea, curve: OccupancyCurve): number {
  const peak = Math.max(...curve.map(({ occupancy }) => occupancy));
  return vehicles(area, (capacity) => capacity * peak);
}

function vehicles(area: DemoArea, expected: (capacity: number) => number): number {
  if (area.vehiclesObserved !== null) return area.vehiclesObserved;
  if (area.capacity !== null) return Math.round(expected(area.capacity));
  return FEWEST_ON_A_STREET + new Random(`street ${area.code}`).below(SPREAD_ON_A_STREET);
}

/**
 * The occupied share at an instant, interpolated between the two readings around it. The night has no readings, and is
 * interpolated from the day's last reading to its first.
 */
export function occupancyAt(curve: OccupancyCurve, at: Instant, timeZone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const minute = local.hour * 60 + local.minute;
  const day = curve.filter((point) => point.day === (local.dayOfWeek < SATURDAY ? 'weekday' : 'weekend'));
  const first = day[0];
  const last = day.at(-1);
  if (first === undefined || last === undefined)
    throw new Error('the curve has no readings for this kind of day');

  const before = day.findLast((point) => point.minuteOfDay <= minute) ?? last;
  const after = day.find((point) => point.minuteOfDay > minute) ?? first;
  const share = minutesFrom(before.minuteOfDay, minute) / minutesFrom(before.minuteOfDay, after.minuteOfDay);
  return before.occupancy + share * (after.occupancy - before.occupancy);
}

/** Minutes forward, past midnight if need be. */
function minutesFrom(start: number, end: number): number {
  return (end - start + DAY_MINUTES) % DAY_MINUTES;
}
