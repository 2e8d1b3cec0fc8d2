import type { Chapter } from './chapter.ts';
import { rowsReadBy } from './counted-rows.ts';
import { type Load, load } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { ask, patrolOfStrangers, plateCheckGranted } from './subjects.ts';

const FEW = 10_000;
export const MANY = 1_000_000;
const WARM_UP_SECONDS = 1;

/** A plate check among a million sessions: next to one among ten thousand, and a patrol of a hundred plates next to it. */
export const million: Chapter = async ({ rounds, seconds, cities }) => {
  const [small, big] = [await cities.of(FEW), await cities.of(MANY)];
  const what = 'plate check among 1,000,000 sessions';
  const among10000 = 'plate check among 10,000 sessions';
  const few = { city: small, subject: { ...plateCheckGranted(small), name: among10000 } };
  const many = { city: big, subject: { ...plateCheckGranted(big), name: what } };
  const walk = { city: big, subject: patrolOfStrangers(big) };
  const members = [few, many, walk];
  const measure = ({ city, subject }: typeof few, time = seconds): Promise<Load> =>
    load(subject.target, time, city.runtime);
  for (const member of members) {
    await ask(member.subject);
    await measure(member, WARM_UP_SECONDS);
  }
  const loads = await inRounds([members], rounds, (member) => measure(member));
  const of = (member: typeof few, value: (one: Load) => number) => (loads.get(member) ?? []).map(value);
  const perSecond = (one: Load): number => one.perSecond;
  const cpu = (one: Load): number => one.cpuUsPerRequest;
  const rowsOf = async ({ city, subject }: typeof few) => [await rowsReadBy(city.runtime, subject.target)];
  return {
    loads: Object.fromEntries(members.map((member) => [member.subject.name, loads.get(member) ?? []])),
    figures: [
      {
        ...{ what: `${what}: throughput`, beside: among10000, unit: '×', goal: '≥ 0.95' },
        rounds: ratios(of(many, perSecond), of(few, perSecond)),
      },
      {
        ...{ what: `${what}: rows read`, beside: among10000, unit: '×', goal: '1' },
        rounds: ratios(await rowsOf(many), await rowsOf(few)),
      },
      {
        ...{ what: `${walk.subject.name}: CPU`, beside: what, unit: '×', goal: '≤ 15' },
        rounds: ratios(of(walk, cpu), of(many, cpu)),
      },
      { what: `${walk.subject.name}: rows read`, unit: 'rows', rounds: await rowsOf(walk) },
    ],
  };
};
