import { setTimeout as sleep } from 'node:timers/promises';
import type { Chapter, Figure } from './chapter.ts';
import type { City } from './city.ts';
import { type Load, load } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import {
  ask,
  gateEntryRefused,
  ITS_SESSION,
  ITS_SUBSCRIPTION,
  madeUpToken,
  PARKED,
  plateCheckGranted,
  refusalOfMadeUpToken,
  reportFromSnapshot,
  SUBSCRIBED,
  type Subject,
  subscriptionOptions,
  yardstick,
} from './subjects.ts';

const WARM_UP_SECONDS = 1;
/** A report tells its instants in whole seconds. */
const TOLD_APART_MS = 1_000;

interface Goals {
  readonly throughput: string;
  readonly p99?: string;
  readonly cpu?: string;
}

/** Subjects, each with its goals, and the yardstick that they are compared with. */
interface Group {
  readonly beside: Subject;
  readonly subjects: readonly (readonly [Subject, Goals])[];
}

/** The service's operations, each beside a Worker that does nothing but what the operation cannot do without. */
export const throughput: Chapter = async ({ rounds, seconds, city }) => {
  const snapshot = { at: 0 };
  const groups = groupsOf(city, snapshot);
  const members = groups.map(({ beside, subjects }) => [beside, ...subjects.map(([one]) => one)]);
  const prepare = async () => {
    await refreshSnapshot(city, snapshot);
    for (const subject of members.flat()) await ask(subject);
  };
  await prepare();
  for (const { target } of members.flat()) await load(target, WARM_UP_SECONDS, city.runtime);
  const loads = await inRounds(members, rounds, ({ target }) => load(target, seconds, city.runtime), prepare);
  return {
    loads: Object.fromEntries([...loads].map(([{ name }, measured]) => [name, measured])),
    figures: groups.flatMap((group) => figuresOf(group, (subject) => loads.get(subject) ?? [])),
  };
};

/** A snapshot serves reports for two minutes: each round has its own. The yardstick reads as much from KV. */
async function refreshSnapshot(city: City, snapshot: { at: number }): Promise<void> {
  await city.runtime.cron('* * * * *');
  snapshot.at = Date.now();
  await sleep(TOLD_APART_MS);
  await city.runtime.kv.put('yardstick', await ask(reportFromSnapshot(city, () => snapshot.at)));
}

function groupsOf(city: City, snapshot: { readonly at: number }): Group[] {
  const check = 'check: plain reads in a batch + a write';
  const options = 'options: plain reads in a batch + a write, an insert';
  return [
    {
      beside: yardstick(city, check, '/check', { plate: PARKED }, ITS_SESSION),
      subjects: [
        [plateCheckGranted(city), { throughput: '≥ 0.85', p99: '≤ 1.3', cpu: '≤ 1.5' }],
        [gateEntryRefused(city), { throughput: '≥ 0.80' }],
      ],
    },
    {
      beside: yardstick(city, 'report: a KV value + a write', '/value-and-write', {}, 'checked_at'),
      subjects: [[reportFromSnapshot(city, () => snapshot.at), { throughput: '≥ 0.85' }]],
    },
    {
      beside: yardstick(city, options, '/options', { plate: SUBSCRIBED }, ITS_SUBSCRIPTION),
      subjects: [[subscriptionOptions(city), { throughput: '≥ 0.75' }]],
    },
    {
      beside: refusalOfMadeUpToken(city),
      subjects: [[madeUpToken(city), { throughput: '≥ 0.75' }]],
    },
  ];
}

function figuresOf({ beside, subjects }: Group, loadsOf: (subject: Subject) => readonly Load[]): Figure[] {
  return subjects.flatMap(([subject, goals]) => {
    const figure = (what: string, of: (load: Load) => number, goal: string | undefined): Figure => ({
      what: `${subject.name}: ${what}`,
      beside: beside.name,
      unit: '×',
      ...(goal !== undefined && { goal }),
      rounds: ratios(loadsOf(subject).map(of), loadsOf(beside).map(of)),
    });
    return [
      figure('throughput', ({ perSecond }) => perSecond, goals.throughput),
      figure('p99', ({ p99Ms }) => p99Ms, goals.p99),
      figure('CPU', ({ cpuUsPerRequest }) => cpuUsPerRequest, goals.cpu),
    ];
  });
}
