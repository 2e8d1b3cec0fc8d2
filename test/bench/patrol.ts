import type { Chapter } from './chapter.ts';
import { rowsReadBy } from './counted-rows.ts';
import { type Load, load } from './load.ts';
import { MANY } from './million.ts';
import { inRounds, ratios } from './rounds.ts';
import { ask, patrolOfStrangers, plateCheckGranted, type Subject } from './subjects.ts';

const WARM_UP_SECONDS = 1;

/** A patrol of a hundred plates without entitlement beside one plate check, among a million sessions. */
export const patrol: Chapter = async ({ rounds, seconds, cities }) => {
  const city = await cities.of(MANY);
  const [check, walk] = [plateCheckGranted(city), patrolOfStrangers(city)];
  const measure = ({ target }: Subject, time: number): Promise<Load> => load(target, time, city.runtime);
  for (const subject of [check, walk]) {
    await ask(subject);
    await measure(subject, WARM_UP_SECONDS);
  }
  const loads = await inRounds([[check, walk]], rounds, (subject) => measure(subject, seconds));
  const [ofChecks, ofWalks] = [loads.get(check) ?? [], loads.get(walk) ?? []];
  const cpu = ({ cpuUsPerRequest }: Load): number => cpuUsPerRequest;
  return {
    loads: { [check.name]: ofChecks, [walk.name]: ofWalks },
    figures: [
      {
        what: `${walk.name}: CPU`,
        beside: 'one plate check',
        unit: '×',
        goal: '≤ 15',
        rounds: ratios(ofWalks.map(cpu), ofChecks.map(cpu)),
      },
      {
        what: `${walk.name}: rows read`,
        unit: 'rows',
        rounds: [await rowsReadBy(city.runtime, walk.target)],
      },
    ],
  };
};
