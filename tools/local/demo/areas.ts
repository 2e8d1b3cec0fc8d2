import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';

/** An empty cell is an unknown number, not zero. */
const numberOrNull = z.string().transform((cell) => (cell === '' ? null : Number(cell)));

const row = z.object({
  municipality_code: z.string(),
  municipality: z.string(),
  area_code: z.string(),
  area_name: z.string(),
  area_type: z.enum(['street', 'facility']),
  capacity: numberOrNull,
  vehicles_observed: numberOrNull,
  latitude: numberOrNull,
  longitude: numberOrNull,
});

/** A real car park or paid street area, with the vehicles of one reading if there was one. */
export type DemoArea = Readonly<z.infer<typeof row>>;

const file = new URL('../data/areas.csv', import.meta.url);

export const AREAS: readonly DemoArea[] = z
  .array(row)
  .parse(parse(readFileSync(file, 'utf8'), { columns: true }));

/** The codes of the areas' municipalities, in order of appearance. */
export const CITIES: readonly string[] = [...new Set(AREAS.map((area) => area.municipality_code))];

/** How full a car park is that nobody has counted, and how many vehicles are on a street without a capacity. */
const USUAL_SHARE = 0.6;
const ON_A_STREET = 20;

/** How many vehicles are in an area: those that were observed, if any; else a usual number. */
export const vehiclesIn = ({ vehicles_observed, capacity }: DemoArea): number =>
  vehicles_observed ?? (capacity === null ? ON_A_STREET : Math.round(capacity * USUAL_SHARE));
