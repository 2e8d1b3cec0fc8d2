import { beforeAll, expect, it } from 'vitest';
import { PATH as CONFIGURATION, type Form, mustPut } from '../configuration/support.ts';
import { Random } from '../domain/random.ts';
import { City } from '../support/city.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { CITY, subscribed } from '../support/seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { unsteadyBindings } from '../support/unsteady.ts';

const PLATE = 'AB123CD';
const PUTS = shortOrThorough(5, 10);

/** Two documents that name the same things, and have nothing in common that an answer shows. */
const DOCUMENTS = (['X', 'Y'] as const).map((mark) => ({
  municipalities: [
    {
      code: 'H501',
      name: `Roma ${mark}`,
      areas: [{ code: 'P1', name: `Centro ${mark}`, facility: { subscription_access: mark === 'X' } }],
      plans: ['101', '102'].map((codice_tariffa) => ({
        ...{ codice_tariffa, subscription_type: 'RES', duration: 'P1M', descrizione: `MENSILE ${mark}` },
        importo_eurocent: mark === 'X' ? 100 : 300,
      })),
    },
  ],
}));
type Document = (typeof DOCUMENTS)[number];

const nameOf = (item: unknown): string => (item as { name: string }).name;
const marksOf = (...names: readonly string[]): string => names.map((name) => name.at(-1)).join('');

/** What an operation shows: the marks of all that a document sets. */
interface Reader {
  readonly name: string;
  readonly path: string;
  /** Without one, it is the administrator who reads. */
  readonly body?: object;
  readonly marks: (answer: Answer['body']) => string;
}

const READERS: readonly Reader[] = [
  {
    name: 'check',
    path: '/api/v2/parking-entitlements/search',
    body: { plate: PLATE, area_code: 'P1' },
    marks: ({ municipality, area, access_granted }) =>
      marksOf(nameOf(municipality), nameOf(area), access_granted === true ? 'X' : 'Y'),
  },
  {
    name: 'options',
    path: '/api/v2/parking-meters/subscription-options',
    body: { plate: PLATE },
    marks: ({ municipality, tariffe }) =>
      (tariffe as { importo_eurocent: number; descrizione: string }[])
        .map((plan) => marksOf(plan.descrizione, plan.importo_eurocent === 100 ? 'X' : 'Y'))
        .concat(marksOf(nameOf(municipality)))
        .join(''),
  },
  {
    name: 'configuration',
    path: `${CONFIGURATION}?municipality_code=H501`,
    marks: ({ configuration }) =>
      (configuration as Form).municipalities
        .map(({ name, areas, plans }) =>
          marksOf(
            String(name),
            ...areas.filter(({ code }) => code === 'P1').map(nameOf),
            ...plans.map(({ descrizione }) => String(descrizione)),
          ),
        )
        .join(''),
  },
];

const city = new City({ ...CITY, ...subscribed(PLATE, { startsAt: 0, endsAt: Date.now() + 86_400_000 }) });
beforeAll(() => mustPut(DOCUMENTS[0] as Document));

it(`An answer shows all of one document or all of another, while they are put in turn (seed ${RUN_SEED})`, async () => {
  const random = new Random(RUN_SEED);
  const office = new Service(unsteadyBindings(random));
  const isolates = [new Service(unsteadyBindings(random)), new Service(unsteadyBindings(random))];
  /** Marks of documents in the order in which they are put; those up to `answered` hold. */
  const put = ['X'];
  let answered = 0;
  let over = false;
  const wrong: unknown[] = [];
  const seen = new Set<string>();

  async function readAgainAndAgain({ name, path, body, marks }: Reader): Promise<void> {
    while (!over) {
      await scheduler.wait(random.below(8));
      const from = answered;
      const service = random.pick(isolates);
      const answer = await (body
        ? service.post(path, body, city.headers)
        : service.call(path, { headers: ADMIN }));
      const shown = answer.status === 200 ? marks(answer.body) : JSON.stringify(answer.body);
      const isWhole = put.slice(from).some((mark) => shown === mark.repeat(Math.max(1, shown.length)));
      if (!isWhole) wrong.push([name, shown]);
      seen.add(`${name} ${shown}`);
    }
  }

  async function putAgainAndAgain(): Promise<void> {
    for (let count = 1; count <= PUTS; count++) {
      await scheduler.wait(random.below(40));
      put.push(count % 2 === 1 ? 'Y' : 'X');
      await mustPut(DOCUMENTS[count % 2] as Document, office);
      answered = count;
    }
    await scheduler.wait(50);
  }

  const reading = Promise.all(READERS.map(readAgainAndAgain));
  await putAgainAndAgain().finally(() => {
    over = true;
  });
  await reading;
  expect(wrong).toEqual([]);
  // Each of the operations has shown both.
  expect(seen.size).toBe(READERS.length * 2);
});
