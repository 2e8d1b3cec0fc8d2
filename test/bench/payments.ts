import type { Chapter } from './chapter.ts';
import type { City } from './city.ts';
import { type Load, loadInTurn, type Target } from './load.ts';
import { ratios } from './rounds.ts';
import { optionsOf, paymentFor } from './subjects.ts';

/** Titles of a round, each asked once by a call: no title can be paid twice. A multiple of the connections. */
const TITLES = 480;
/** Other chapters ask for titles before these. */
const FIRST = 1_001;

/** A payment that makes a period, and the same sent again, next to an options query of the same title. */
export const payments: Chapter = async ({ rounds, city }) => {
  const measured: { readonly options: Load; readonly paid: Load; readonly again: Load }[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const plates = Array.from({ length: TITLES }, (_, index) => `T${FIRST + round * TITLES + index}`);
    const ask = (of: (city: City, plate: string) => Target) => {
      const [first, ...others] = plates.map((plate) => of(city, plate));
      if (first === undefined) throw new Error('there are no titles');
      return loadInTurn([first, ...others], { requests: TITLES }, city.runtime);
    };
    const options = await ask(optionsOf);
    measured.push({ options, paid: await ask(paymentFor), again: await ask(paymentFor) });
  }
  await requirePeriods(city, (rounds + 1) * TITLES);
  const cpuOf = (of: 'options' | 'paid' | 'again') =>
    measured.slice(1).map((round) => round[of].cpuUsPerRequest);
  const figure = (what: string, of: 'paid' | 'again') => ({
    ...{ what: `${what}: CPU`, beside: 'an options query', unit: '×' as const, goal: '≤ 2' },
    rounds: ratios(cpuOf(of), cpuOf('options')),
  });
  return {
    figures: [figure('payment that makes a period', 'paid'), figure('the same, sent again', 'again')],
  };
};

async function requirePeriods({ runtime: { db } }: City, wanted: number): Promise<void> {
  const row = await db
    .prepare(`select count(*) as there from payments where result_code = 'PERIOD_CREATED'`)
    .first<{ there: number }>();
  if (row?.there !== wanted) {
    throw new Error(`${row?.there} payments made a period in place of ${wanted}`);
  }
}
