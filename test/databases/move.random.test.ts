import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../domain/random.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { RUN_SEED } from '../support/run-seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { around, check, city, credentialFor, options, putDocument, report } from './nation.ts';

/** One moves, the other stays: all that is sent to the one is sent to the other. */
const MOVER = 'M001';
const TWIN = 'T001';

const random = new Random(RUN_SEED);
const service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
let all: Record<string, string>;

beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
  await prepareSeveral();
  const cities = [MOVER, TWIN].map((code) => city({ code, name: 'City', database: 'DB' }));
  await putDocument(service, { tenants: [{ code: 'acme', name: 'Acme' }], municipalities: cities });
  all = await credentialFor(service, [MOVER, TWIN]);
});
afterAll(() => vi.restoreAllMocks());

type Fault = 'refused' | 'answer lost';

/** A service of which one round trip to any database fails, by its number from 1; and how many there were. */
function failing(at: number, fault: Fault) {
  let trips = 0;
  const broken = (database: D1Database) =>
    databaseDouble(
      {
        around: async (run) => {
          trips += 1;
          if (trips !== at) return run();
          if (fault === 'answer lost') await run();
          throw new Error('D1_ERROR: the step was killed');
        },
      },
      database,
    );
  const databases = { DB: broken(env.DB), DB_2: broken(env.SECOND), DB_3: broken(env.THIRD) };
  return { killed: new Service({ ...databases, SNAPSHOTS: noSnapshots() }), trips: () => trips };
}

const move = (to: DatabaseName, by = service): Promise<Answer> =>
  by.call(`/api/v2/admin/municipalities/${MOVER}/move`, { method: 'POST', headers: ADMIN, body: { to } });

async function completeMove(to: DatabaseName): Promise<void> {
  for (let calls = 0; calls < 20; calls += 1) {
    const { status, body } = await move(to);
    if (status === 422) return;
    expect(status, JSON.stringify(body)).toBe(200);
    if (body.state === 'done') return;
  }
  expect.fail('the move does not end');
}

const PLATES = ['AA000AA', 'BB111BB', 'CC222CC'];

/** Something that is sent to a municipality: an import, or a configuration. */
type Change = (code: string) => Promise<Answer>;

function randomChange(): Change {
  const now = Date.now();
  const plate = random.pick(PLATES);
  const key = `K-${random.below(6)}`;
  const [kind, line] = random.pick([
    [
      'sessions',
      {
        session_id: key,
        plate,
        area_code: random.pick(['P1', 'S1']),
        ...around(now + (random.below(5) - 2) * 1_800_000),
        cancelled_at: random.oneIn(5) ? new Date(now).toISOString() : null,
      },
    ],
    [
      'subscriptions',
      {
        ...{ subscription_number: key, type: 'RES', approval: 'approved' },
        plates: random.oneIn(6) ? [] : [{ plate }],
        areas: random.pick(['all', ['P1'], ['S1']]),
        periods: random.oneIn(3) ? [] : [around(now)],
      },
    ],
  ] as const);
  if (random.oneIn(6)) {
    const capacity = 10 + random.below(50);
    return (code) =>
      service.call('/api/v2/admin/configuration', {
        method: 'PUT',
        headers: ADMIN,
        body: { municipalities: [{ code, areas: [{ code: 'P1', capacity }] }] },
      });
  }
  const query = (code: string) =>
    new URLSearchParams({ municipality_code: code, ...(kind === 'sessions' && { source_code: 'app1' }) });
  return (code) =>
    service.call(`/api/v2/imports/${kind}?${query(code)}`, {
      method: 'POST',
      headers: { ...all, 'Content-Type': 'application/x-ndjson' },
      body: JSON.stringify(line),
    });
}

/** An answer without what differs from call to call, and between the two. */
const CHANGING = [
  'request_id',
  'municipality',
  'checked_at',
  'generated_at',
  'after_30',
  'after_60',
  'RateLimit',
];
function comparable({ status, body }: Answer): unknown {
  const kept = Object.entries(body).filter(([name]) => !CHANGING.includes(name));
  const text = JSON.stringify([status, Object.fromEntries(kept)]);
  // Ids of areas and sources are each one's own; an expiry has the minute of its own call.
  return JSON.parse(
    text
      .replaceAll(/"(id|source_id)":\d+/g, '"$1":0')
      .replaceAll(/"scadenza":"[^"]*"/g, '"scadenza":""')
      .replaceAll(/"last_successful_import_at":"[^"]*"/g, '"last_successful_import_at":""'),
  );
}

async function expectTwins(when: string, plates = [random.pick(PLATES)]): Promise<void> {
  for (const plate of plates) {
    for (const area of [{}, { area_code: 'P1', event: 'entry' }]) {
      const asked = (code: string) => check(service, all, { plate, municipality_code: code, ...area });
      expect(comparable(await asked(MOVER)), `check ${when}`).toEqual(comparable(await asked(TWIN)));
    }
    const asked = (code: string) => options(service, all, { plate, municipality_code: code });
    expect(comparable(await asked(MOVER)), `options ${when}`).toEqual(comparable(await asked(TWIN)));
  }
  const asked = (code: string) => report(service, all, { municipality_code: code });
  expect(comparable(await asked(MOVER)), `report ${when}`).toEqual(comparable(await asked(TWIN)));
}

/** Sends changes to both; what the mover refuses while it switches waits until it has moved. */
async function change(count: number, waiting: Change[]): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const next = randomChange();
    const answer = waiting.length > 0 ? null : await next(MOVER);
    if (answer === null || answer.status === 503) {
      waiting.push(next);
      continue;
    }
    expect(comparable(answer)).toEqual(comparable(await next(TWIN)));
  }
}

async function catchUp(waiting: Change[]): Promise<void> {
  for (const next of waiting.splice(0)) {
    expect(comparable(await next(MOVER))).toEqual(comparable(await next(TWIN)));
  }
}

const opposite = (name: DatabaseName): DatabaseName => (name === 'DB' ? 'DB_2' : 'DB');

/**
 * Moves the municipality, with a fault in one round trip of the first call, and goes on when the answers behind that have
 * been compared.
 *
 * @returns whether the call came as far as that round trip
 */
async function moveWithFault(
  to: DatabaseName,
  at: number,
  fault: Fault,
  waiting: Change[],
): Promise<boolean> {
  const { killed, trips } = failing(at, fault);
  await move(to, killed);
  await expectTwins(`behind trip ${at}`);
  await change(2, waiting);
  await completeMove(to);
  await catchUp(waiting);
  await expectTwins(`once moved, behind trip ${at}`, at % 10 === 0 ? PLATES : undefined);
  return trips() >= at;
}

describe(`A municipality that moves there and back (TEST_SEED=${RUN_SEED})`, () => {
  it.each(['refused', 'answer lost'] as const)(
    'answers as its unmoved twin, though a round trip of its move is %s, each in turn',
    async (fault) => {
      const waiting: Change[] = [];
      await change(20, waiting);
      await completeMove('DB');
      let to: DatabaseName = 'DB_2';
      for (let at = 1; await moveWithFault(to, at, fault, waiting); at += 1) {
        to = opposite(to);
      }
    },
    240_000,
  );
});
