import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';

/** An empty cell is an unknown number, not zero. */
const numberOrNull = z.string().transform((cell) => (cell === '' ? null : Number(cell)));

const row = z
  .object({
    municipality_code: z.string(),
    municipality: z.string(),
    area_code: z.string(),
    area_name: z.string(),
    area_type: z.enum(['street', 'facility']),
    capacity: numberOrNull,
    vehicles_observed: numberOrNull,
    latitude: numberOrNull,
    longitude: numberOrNull,
  })
  .transform((cells) => ({
    municipalityCode: cells.municipality_code,
    municipality: cells.municipality,
    code: cells.area_code,
    name: cells.area_name,
    areaType: cells.area_type,
    capacity: cells.capacity,
    vehiclesObserved: cells.vehicles_observed,
    latitude: cells.latitude,
    longitude: cells.longitude,
  }));

/** A real car park or paid street area, with the vehicles of one reading if there was one. */
export type DemoArea = Readonly<z.infer<typeof row>>;

/** Reads the areas of `areas.csv`, in order. */
export function readAreas(): readonly DemoArea[] {
  const text = readFileSync(new URL('../data/areas.csv', import.meta.url), 'utf8');
  return z.array(row).parse(parse(text, { columns: true }));
}

/** The distinct codes of the areas' municipalities, in order of appearance. */
export function municipalityCodes(areas: readonly DemoArea[]): readonly string[] {
  return [...new Set(areas.map((area) => area.municipalityCode))];
}

/** How full a car park is that nobody has counted. */
const USUAL_SHARE = 0.6;
/** A street without a capacity has this many vehicles. */
const ON_A_STREET = 20;

/** How many vehicles are in an area: those that were observed, if any; else a usual number. */
export const vehiclesIn = ({ vehiclesObserved, capacity }: DemoArea): number =>
  vehiclesObserved ?? (capacity === null ? ON_A_STREET : Math.round(capacity * USUAL_SHARE));
