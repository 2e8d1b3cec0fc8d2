import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

/** A real car park or paid street area, with the vehicles of one reading if there was one. */
export interface DemoArea {
  readonly municipality_code: string;
  readonly municipality: string;
  readonly area_code: string;
  readonly area_name: string;
  readonly area_type: 'street' | 'facility';
  readonly capacity: number | null;
  readonly vehicles_observed: number | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

const file = readFileSync(new URL('../data/areas.csv', import.meta.url), 'utf8');
const NUMBERS = ['capacity', 'vehicles_observed', 'latitude', 'longitude'];

export const AREAS: readonly DemoArea[] = parse(file, {
  columns: true,
  // An empty cell is an unknown number, not zero.
  cast: (cell, { column }) => (NUMBERS.includes(String(column)) ? (cell === '' ? null : Number(cell)) : cell),
});

/** The codes of the areas' municipalities, in order of appearance. */
export const CITIES: readonly string[] = [...new Set(AREAS.map((area) => area.municipality_code))];

/** How full a car park is that nobody has counted, and how many vehicles are on a street without a capacity. */
const USUAL_SHARE = 0.6;
const ON_A_STREET = 20;

/** How many vehicles are in an area: those that were observed, if any; else a usual number. */
export const vehiclesIn = ({ vehicles_observed, capacity }: DemoArea): number =>
  vehicles_observed ?? (capacity === null ? ON_A_STREET : Math.round(capacity * USUAL_SHARE));
