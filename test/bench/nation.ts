import type { Chapter, Figure } from './chapter.ts';
import { costOf, costSince, type ReadCost } from './counted-rows.ts';
import { type Country, foundCountry, RUNNING } from './country.ts';
import { BESIDE, checkBy, loadChecks } from './country-checks.ts';
import { inRounds, ratios } from './rounds.ts';
import { startRuntime } from './runtime.ts';

const DATABASES = 16;
const EVERY_MINUTE = '* * * * *';

/** A country over sixteen databases, beside the same country in one. */
export const nation: Chapter = async (run) => {
  const spread = await foundCountry(await startRuntime({ databases: DATABASES, inspector: true }));
  try {
    const together = await foundCountry(await startRuntime({ inspector: true }));
    try {
      const checks = await loadChecks(spread, together, run);
      return {
        ...checks,
        figures: [
          ...configured(spread, together),
          ...(await costs(spread, together)),
          ...checks.figures,
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
      rounds: [await maxMiB(spread)],
    },
    { what: 'the same, in one database', unit: 'MiB', rounds: [await maxMiB(together)] },
  ];
}

async function secondsOfARun({ runtime }: Country): Promise<number> {
  const startedAt = performance.now();
  await runtime.cron(EVERY_MINUTE);
  return (performance.now() - startedAt) / 1_000;
}

const maxMiB = ({ runtime }: Country): Promise<number> =>
  runtime.mostMiBDuring(() => runtime.cron(EVERY_MINUTE));
