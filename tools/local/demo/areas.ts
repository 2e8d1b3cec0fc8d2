import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import * as z from 'zod';

/** An empty cell is an unknown count, not zero. */
const countOrNull = z.string().transform((cell) => (cell === '' ? null : Number(cell)));

const row = z
  .object({
    municipality_code: z.string(),
    municipality: z.string(),
    area_code: z.string(),
    area_name: z.string(),
    area_type: z.enum(['street', 'facility']),
    capacity: countOrNull,
    vehicles_observed: countOrNull,
  })
  .transform((cells) => ({
    municipalityCode: cells.municipality_code,
    municipality: cells.municipality,
    code: cells.area_code,
    name: cells.area_name,
    areaType: cells.area_type,
    capacity: cells.capacity,
    vehiclesObserved: cells.vehicles_observed,
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
