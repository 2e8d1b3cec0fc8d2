import type { Figure, Findings, Run } from './chapter.ts';
import { type Caller, type Country, FACILITY, PARKED_EVERYWHERE } from './country.ts';
import { type Load, loadInTurn, type Target } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { ask } from './subjects.ts';

export const BESIDE = 'the same in one database';

/** Callers of all databases that ask at once. */
const ASKING = 320;
const WARM_UP_SECONDS = 1;

/** A credential's own check, which names no municipality, as a barrier sends it. */
export const checkBy = ({ runtime }: Country, { token }: Caller): Target => ({
  url: `${runtime.service}/api/v2/parking-entitlements/search`,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: JSON.stringify({ plate: PARKED_EVERYWHERE, area_code: FACILITY, event: 'entry' }),
  status: 200,
});

/** Checks that are loaded, in a country. */
interface Asking {
  readonly country: Country;
  readonly targets: readonly [Target, ...Target[]];
}

/** What is held beside what. */
interface Pair {
  readonly what: string;
  readonly subject: Asking;
  readonly beside: string;
  readonly yardstick: Asking;
}

/** Checks of a country in several databases: beside those in its home, by the same isolate, and beside one database. */
export async function loadChecks(
  spread: Country,
  together: Country,
  { rounds, seconds }: Run,
): Promise<Required<Findings>> {
  for (const country of [spread, together]) await askOnceAround(country);
  const loads: Record<string, readonly Load[]> = {};
  const figures: Figure[] = [];
  // One pair after the other: of a caller that pauses for ten seconds, the local runtime ends the object.
  for (const { what, subject, beside, yardstick } of pairsOf(spread, together)) {
    const members = [subject, yardstick];
    for (const member of members) await load(member, WARM_UP_SECONDS);
    const measured = await inRounds([members], rounds, (member) => load(member, seconds));
    const [own, other] = members.map((member) => measured.get(member) ?? []);
    loads[what] = own ?? [];
    loads[`${what}: ${beside}`] = other ?? [];
    figures.push(...figuresOf(what, beside, own ?? [], other ?? []));
  }
  return { loads, figures };
}

function pairsOf(spread: Country, together: Country): Pair[] {
  const livingIn = (name: string) => spread.callers.filter(({ database }) => database === name);
  return [
    {
      what: 'plate checks outside the home',
      subject: askingIn(spread, livingIn('DB_2')),
      beside: 'the same in the home',
      yardstick: askingIn(spread, livingIn('DB')),
    },
    {
      what: 'plate checks all over the country',
      subject: askingIn(spread, spread.callers.slice(0, ASKING)),
      beside: BESIDE,
      yardstick: askingIn(together, together.callers.slice(0, ASKING)),
    },
  ];
}

function askingIn(country: Country, [first, ...others]: readonly Caller[]): Asking {
  if (first === undefined) {
    throw new Error('nobody asks');
  }
  return { country, targets: [checkBy(country, first), ...others.map((caller) => checkBy(country, caller))] };
}

const load = ({ country, targets }: Asking, seconds: number): Promise<Load> =>
  loadInTurn(targets, { seconds }, country.runtime);

/** The isolate has seen every credential then, and knows where its municipality is. */
async function askOnceAround(country: Country): Promise<void> {
  const { targets } = askingIn(country, country.callers);
  const [target] = targets;
  await ask({ name: 'check', target, holds: ({ access_granted }) => access_granted === true });
  await loadInTurn(targets, { requests: targets.length }, country.runtime);
}

function figuresOf(
  what: string,
  beside: string,
  subject: readonly Load[],
  yardstick: readonly Load[],
): Figure[] {
  const figure = (part: string, goal: string, of: (load: Load) => number): Figure => ({
    ...{ what: `${what}: ${part}`, beside, unit: '×', goal },
    rounds: ratios(subject.map(of), yardstick.map(of)),
  });
  return [
    figure('CPU', '≤ 1.05', ({ cpuUsPerRequest }) => cpuUsPerRequest),
    figure('throughput', '≥ 0.95', ({ perSecond }) => perSecond),
  ];
}
