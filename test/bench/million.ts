import type { Chapter } from './chapter.ts';
import type { City } from './city.ts';
import { rowsReadBy } from './counted-rows.ts';
import { type Load, load } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { ask, plateCheckGranted } from './subjects.ts';

const FEW = 10_000;
export const MANY = 1_000_000;
const WARM_UP_SECONDS = 1;

/** A plate check among a million sessions beside one among ten thousand. */
export const million: Chapter = async ({ rounds, seconds, cities }) => {
  const small = await cities.of(FEW);
  const big = await cities.of(MANY);
  const measure = (city: City, time: number): Promise<Load> =>
    load(plateCheckGranted(city).target, time, city.runtime);
  for (const city of [small, big]) {
    await ask(plateCheckGranted(city));
    await measure(city, WARM_UP_SECONDS);
  }
  const loads = await inRounds([[small, big]], rounds, (city) => measure(city, seconds));
  const few = loads.get(small) ?? [];
  const many = loads.get(big) ?? [];
  const rowsIn = async (city: City) => [await rowsReadBy(city.runtime, plateCheckGranted(city).target)];
  const rowsAmongFew = await rowsIn(small);
  const beside = 'the same among 10,000';
  const what = 'plate check among 1,000,000 sessions';
  return {
    loads: { 'plate check among 10,000 sessions': few, [what]: many },
    figures: [
      {
        what: `${what}: throughput`,
        beside,
        unit: '×',
        goal: '≥ 0.95',
        rounds: ratios(many.map(perSecond), few.map(perSecond)),
      },
      {
        what: `${what}: rows read`,
        beside,
        unit: '×',
        goal: '1',
        rounds: ratios(await rowsIn(big), rowsAmongFew),
      },
    ],
  };
};

const perSecond = (load: Load): number => load.perSecond;
