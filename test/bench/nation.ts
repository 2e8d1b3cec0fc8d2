import type { Chapter, Figure } from './chapter.ts';
import { costOf, costSince, type ReadCost } from './counted-rows.ts';
import { type Caller, type Country, FACILITY, foundCountry, PARKED_EVERYWHERE, RUNNING } from './country.ts';
import { type Load, loadInTurn, type Target } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { startRuntime } from './runtime.ts';
import { ask } from './subjects.ts';

const DATABASES = 16;
/** Callers that ask all the time: of one that pauses for ten seconds, the local runtime ends the object. */
const ASKING = 320;
const EVERY_MINUTE = '* * * * *';
const BESIDE = 'the same in one database';

/** A country over sixteen databases, beside the same country in one. */
export const nation: Chapter = async (run) => {
  const spread = await foundCountry(await startRuntime({ databases: DATABASES, inspector: true }));
  try {
    const together = await foundCountry(await startRuntime({ inspector: true }));
    try {
      const loads = await inRounds([[spread, together]], run.rounds, loaderOf(run.seconds));
      const measured = (country: Country) => loads.get(country) ?? [];
      return {
        loads: {
          'plate checks all over the country, sixteen databases': measured(spread),
          'plate checks all over the country, one database': measured(together),
        },
        figures: [
          ...configured(spread, together),
          ...(await costs(spread, together)),
          ...checks(measured(spread), measured(together)),
          ...(await minutes(spread, together, run.rounds)),
        ],
      };
    } finally {
      await together.runtime.stop();
    }
  } finally {
    await spread.runtime.stop();
  }
};

function configured(spread: Country, together: Country): Figure[] {
  const what = 'one document of 1,000 municipalities in sixteen databases';
  const seconds = spread.configuredInSeconds;
  return [
    { what, unit: 's', rounds: [seconds] },
    { what: `${what}: time`, beside: BESIDE, unit: '×', rounds: [seconds / together.configuredInSeconds] },
  ];
}

/** A credential's own check, which names no municipality, as a barrier sends it. */
const checkBy = ({ runtime }: Country, { token }: Caller): Target => ({
  url: `${runtime.service}/api/v2/parking-entitlements/search`,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: JSON.stringify({ plate: PARKED_EVERYWHERE, area_code: FACILITY, event: 'entry' }),
  status: 200,
});

/** Of a municipality outside the home. */
async function costs(spread: Country, together: Country): Promise<Figure[]> {
  const costIn = async (country: Country): Promise<ReadCost> => {
    const away = country.callers.findIndex(({ database }) => database !== 'DB');
    return costOf(country.runtime, checkBy(country, country.callers[away] ?? country.callers[0]));
  };
  const [away, home] = [await costIn(spread), await costIn(together)];
  const figure = (what: string, of: (cost: ReadCost) => number): Figure => ({
    what: `plate check outside the home: ${what}`,
    beside: BESIDE,
    unit: '×',
    goal: '≤ 1',
    rounds: [of(away) / of(home)],
  });
  return [figure('rows read', ({ rows }) => rows), figure('round trips', ({ roundTrips }) => roundTrips)];
}

/** Once around, the isolate has seen every credential, and knows where its municipality is. Then some go on asking. */
function loaderOf(seconds: number): (country: Country) => Promise<Load> {
  const known = new Set<Country>();
  return async (country) => {
    if (!known.has(country)) {
      const all = targetsOf(country, country.callers);
      await ask({ name: 'check', target: all[0], holds: ({ access_granted }) => access_granted === true });
      await loadInTurn(all, { requests: all.length }, country.runtime);
      known.add(country);
    }
    const some = targetsOf(country, country.callers.slice(0, ASKING));
    return loadInTurn(some, { seconds }, country.runtime);
  };
}

function targetsOf(country: Country, callers: readonly Caller[]): [Target, ...Target[]] {
  const [first, ...others] = callers.map((caller) => checkBy(country, caller));
  if (first === undefined) {
    throw new Error('nobody asks');
  }
  return [first, ...others];
}

function checks(spread: readonly Load[], together: readonly Load[]): Figure[] {
  const figure = (what: string, goal: string | undefined, of: (load: Load) => number): Figure => ({
    what: `plate checks all over the country: ${what}`,
    beside: BESIDE,
    unit: '×',
    ...(goal !== undefined && { goal }),
    rounds: ratios(spread.map(of), together.map(of)),
  });
  return [
    figure('CPU', '≤ 1.05', ({ cpuUsPerRequest }) => cpuUsPerRequest),
    figure('throughput', undefined, ({ perSecond }) => perSecond),
  ];
}

async function minutes(spread: Country, together: Country, rounds: number): Promise<Figure[]> {
  const seconds = await inRounds([[spread, together]], rounds, secondsOfARun);
  const [own, other] = [seconds.get(spread) ?? [], seconds.get(together) ?? []];
  await costSince(spread.runtime.counted);
  await spread.runtime.cron(EVERY_MINUTE, 'counted');
  const { rows } = await costSince(spread.runtime.counted);
  const what = "a minute's run over 420,000 running sessions in sixteen databases";
  return [
    { what, unit: 's', goal: '≤ 10', rounds: own },
    { what: `${what}: time`, beside: BESIDE, unit: '×', rounds: ratios(own, other) },
    { what: `${what}: rows read a running session`, unit: 'rows', goal: '≤ 1.2', rounds: [rows / RUNNING] },
    {
      what: `${what}: the most that its isolate holds`,
      unit: 'MiB',
      goal: '≤ 100',
      rounds: [await mostMiB(spread)],
    },
    { what: 'the same, in one database', unit: 'MiB', rounds: [await mostMiB(together)] },
  ];
}

async function secondsOfARun({ runtime }: Country): Promise<number> {
  const startedAt = performance.now();
  await runtime.cron(EVERY_MINUTE);
  return (performance.now() - startedAt) / 1_000;
}

const mostMiB = ({ runtime }: Country): Promise<number> =>
  runtime.mostMiBDuring(() => runtime.cron(EVERY_MINUTE));
