import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import worker from '../../src/worker.ts';
import { PATH as CONFIGURATION, type Form, mustPut } from '../configuration/support.ts';
import { Random } from '../domain/random.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed, subscribed } from '../support/seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { unsteadyBindings } from '../support/unsteady.ts';

const SEED = 1;
const PLATE = 'AB123CD';
const PUTS = shortOrThorough(5, 10);
let credential: TestCredential;

/** Two documents that name the same things, and have nothing in common that an answer shows. */
const DOCUMENTS = [
  documentOf({ mark: 'X', entry: 10, exit: 15, admitted: true, capacity: 300, cents: 100 }),
  documentOf({ mark: 'Y', entry: 20, exit: 25, admitted: false, capacity: 500, cents: 300 }),
] as const;

interface Settings {
  readonly mark: string;
  readonly entry: number;
  readonly exit: number;
  readonly admitted: boolean;
  readonly capacity: number;
  readonly cents: number;
}

function documentOf({ mark, entry, exit, admitted, capacity, cents }: Settings) {
  const plan = {
    subscription_type: 'RES',
    duration: 'P1M',
    descrizione: `MENSILE ${mark}`,
  };
  return {
    municipalities: [
      {
        code: 'H501',
        name: `Roma ${mark}`,
        areas: [
          {
            code: 'P1',
            name: `Centro ${mark}`,
            capacity,
            facility: { subscription_access: admitted, entry_grace_minutes: entry, exit_grace_minutes: exit },
          },
        ],
        sources: [{ code: 'app1', name: `App ${mark}` }],
        plans: [
          { ...plan, codice_tariffa: '101', importo_eurocent: cents },
          { ...plan, codice_tariffa: '102', importo_eurocent: cents + 100 },
        ],
      },
    ],
  };
}
type Document = (typeof DOCUMENTS)[number];
type Municipality = Document['municipalities'][number];

/** What an operation shows of a document. */
interface Reader {
  readonly name: string;
  readonly path: string;
  /** Without one, it is the administrator who reads. */
  readonly body?: object;
  readonly shown: (answer: Answer['body']) => unknown;
  readonly expected: (municipality: Municipality) => unknown;
  /** Whether it shows a document as soon as that is put. */
  readonly atOnce: boolean;
}

const READERS: readonly Reader[] = [
  {
    name: 'check',
    path: '/api/v2/parking-entitlements/search',
    body: { plate: PLATE, area_code: 'P1' },
    atOnce: true,
    shown: ({ municipality, area, access_control, access_granted }) => {
      const { entry_grace_minutes, exit_grace_minutes } = access_control as Record<string, number>;
      return [nameOf(municipality), nameOf(area), entry_grace_minutes, exit_grace_minutes, access_granted];
    },
    expected: ({ name, areas: [area] }) => [
      name,
      area?.name,
      area?.facility.entry_grace_minutes,
      area?.facility.exit_grace_minutes,
      area?.facility.subscription_access,
    ],
  },
  {
    name: 'options',
    path: '/api/v2/parking-meters/subscription-options',
    body: { plate: PLATE },
    atOnce: true,
    shown: ({ municipality, tariffe }) => [
      nameOf(municipality),
      (tariffe as Record<string, unknown>[]).map((plan) => [plan.importo_eurocent, plan.descrizione]),
    ],
    expected: ({ name, plans }) => [name, plans.map((plan) => [plan.importo_eurocent, plan.descrizione])],
  },
  {
    name: 'report',
    path: '/api/v2/parking/reports/active-by-area',
    body: { area_type: 'facility' },
    atOnce: false,
    shown: ({ municipality, rows, sources }) => [
      nameOf(municipality),
      (rows as Record<string, unknown>[]).map(({ area, capacity }) => [nameOf(area), capacity]),
      (sources as unknown[]).map(nameOf),
    ],
    expected: ({ name, areas, sources }) => [
      name,
      areas.map((area) => [area.name, area.capacity]),
      sources.map((source) => source.name),
    ],
  },
  {
    name: 'configuration',
    path: `${CONFIGURATION}?municipality_code=H501`,
    atOnce: true,
    shown: ({ configuration }) => {
      const { municipalities } = configuration as Form;
      return municipalities.map(({ name, areas, sources, plans }) => [
        name,
        areas.filter(({ code }) => code === 'P1').map(nameOf),
        sources.map(nameOf),
        plans.map((plan) => plan.importo_eurocent),
      ]);
    },
    expected: ({ name, areas, sources, plans }) => [
      [name, areas.map(nameOf), sources.map(nameOf), plans.map((plan) => plan.importo_eurocent)],
    ],
  },
];

const nameOf = (item: unknown): unknown => (item as { name: unknown }).name;

beforeAll(async () => {
  await seed({
    ...CITY,
    ...subscribed(PLATE, { startsAt: 0, endsAt: Date.now() + 86_400_000 }),
  });
  credential = await issueCredential();
  const [first] = DOCUMENTS;
  const [municipality] = first.municipalities;
  const plans = municipality?.plans.map((plan) => ({ ...plan, operations: ['first_activation', 'renewal'] }));
  await mustPut({ municipalities: [{ ...municipality, plans }] });
});

it(`An answer shows all of one document or all of another, while they are put in turn (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const office = new Service(unsteadyBindings(random));
  const isolates = [new Service(unsteadyBindings(random)), new Service(unsteadyBindings(random))];
  /** Documents by the order in which they are put; those up to `answered` hold. */
  const put: Document[] = [DOCUMENTS[0]];
  let answered = 0;
  let over = false;
  const wrong: unknown[] = [];
  const seen = new Set<string>();

  /** One holds a snapshot for seconds: each report is another isolate's. */
  const isolateFor = ({ atOnce }: Reader): Service =>
    atOnce ? random.pick(isolates) : new Service(unsteadyBindings(random));

  async function readAgainAndAgain(reader: Reader): Promise<void> {
    while (!over) {
      await scheduler.wait(random.below(8));
      const from = reader.atOnce ? answered : 0;
      const service = isolateFor(reader);
      const { status, body } = reader.body
        ? await service.post(reader.path, reader.body, credential.headers)
        : await service.call(reader.path, { headers: ADMIN });
      const shown = JSON.stringify(status === 200 ? reader.shown(body) : body);
      const possible = put
        .slice(from)
        .flatMap(({ municipalities: [one] }) => (one ? [reader.expected(one)] : []));
      if (!possible.some((each) => JSON.stringify(each) === shown))
        wrong.push([reader.name, shown, possible]);
      seen.add(`${reader.name} ${shown}`);
    }
  }

  /** The cron's snapshots come in between. */
  async function refreshAgainAndAgain(): Promise<void> {
    while (!over) {
      await worker.scheduled(createScheduledController({ cron: '* * * * *' }), {
        ...env,
        DB: unsteadyBindings(random).DB,
      });
      await scheduler.wait(random.below(30));
    }
  }

  async function putAgainAndAgain(): Promise<void> {
    for (let count = 1; count <= PUTS; count++) {
      await scheduler.wait(random.below(40));
      const document = DOCUMENTS[count % 2] as Document;
      put.push(document);
      await mustPut(document, office);
      answered = count;
    }
    await scheduler.wait(50);
  }

  const reading = Promise.all([...READERS.map(readAgainAndAgain), refreshAgainAndAgain()]);
  await putAgainAndAgain().finally(() => {
    over = true;
  });
  await reading;
  expect(wrong).toEqual([]);
  // Each of the operations has shown both.
  expect(seen.size).toBe(READERS.length * 2);
});
