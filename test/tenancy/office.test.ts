import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { CITIES, CREDENTIALS } from '../credentials/support.ts';
import { Random } from '../domain/random.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { RUN_SEED as SEED, shortOrThorough } from '../support/run-form.ts';
import { seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';

const CALLS = shortOrThorough(150, 1_500);
/** Many times what it takes, for a busy machine. */
const LIMIT_MS = shortOrThorough(60_000, 300_000);
const service = new Service();

let office: TestCredential;
let ids: { own: readonly string[]; offices: readonly string[]; others: readonly string[] };

beforeAll(async () => {
  await seed(CITIES);
  office = await issueCredential({ scopes: ['office', 'report'], rateLimit: 10_000 });
  const idOf = async (tenantId: number, scopes: readonly string[]) =>
    (await issueCredential({ tenantId, scopes }, [tenantId === 1 ? 1 : 3])).credentialId;
  ids = {
    own: [await idOf(1, ['plate_check']), await idOf(1, ['report'])],
    offices: [office.credentialId, await idOf(1, ['office_read', 'report'])],
    others: [await idOf(2, ['report']), await idOf(2, ['office'])],
  };
});

/** A few of these properties, each with one of its values. */
const some = (random: Random, values: Readonly<Record<string, readonly unknown[]>>) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(() => random.oneIn(3))
      .map(([name, choices]) => [name, random.pick(choices)]),
  );

const MUNICIPALITIES = ['H501', 'H501', 'H501', 'L219', 'L219', 'F205', 'NEW'];

const municipality = (random: Random) => ({
  code: random.pick(MUNICIPALITIES),
  ...some(random, {
    name: ['Roma', 'Roma 2'],
    observation_minutes: [0, 5],
    services: [{ report: true }, { report: false }, { public_occupancy: true }],
    areas: [[{ code: 'S1', capacity: random.below(10) }], [{ code: 'X1', name: 'X', area_type: 'street' }]],
    sources: [[{ code: 'app1', active: random.oneIn(2) }]],
    ...(random.oneIn(3) && {
      tenant: ['acme', 'acme', 'beta', 'nobody'],
      active: [true, true, false],
      timezone: ['Europe/Rome', 'No/Where'],
    }),
  }),
});

const tenant = (random: Random) => ({
  code: random.pick(['acme', 'acme', 'acme', 'beta', 'new']),
  ...some(random, {
    name: ['Acme Parking', 'Mine now'],
    active: [true, false],
  }),
});

const fewOf = <Item>(random: Random, make: (random: Random) => Item): Item[] =>
  Array.from({ length: random.below(3) }, () => make(random));

const credentialFields = (random: Random) =>
  some(random, {
    name: ['A', 'B'],
    scopes: [['plate_check'], ['report'], ['office'], ['report', 'office_read']],
    municipalities: [['H501'], ['H501', 'L219'], ['F205'], ['NOWHERE']],
    areas: [null, ['S1'], ['NONE']],
    rate_limit: [null, { limit: 5, window_seconds: 60 }],
  });

const anyId = (random: Random) => random.pick([...ids.own, ...ids.offices, ...ids.others, 'f'.repeat(24)]);

/** One of the things that an office may try. */
function attempt(random: Random): [method: string, path: string, body?: object] {
  switch (random.below(6)) {
    case 0:
    case 1: {
      const tenants = random.oneIn(3) ? fewOf(random, tenant) : [];
      return ['PUT', '/api/v2/admin/configuration', { tenants, municipalities: fewOf(random, municipality) }];
    }
    case 2: {
      const required = { name: 'New', scopes: ['report'], municipalities: ['H501'] };
      const named = some(random, { tenant: ['acme', 'acme', 'beta', 'nobody'] });
      return ['POST', CREDENTIALS, { ...required, ...named, ...credentialFields(random) }];
    }
    case 3:
      return ['PATCH', `${CREDENTIALS}/${anyId(random)}`, credentialFields(random)];
    case 4:
      return ['POST', `${CREDENTIALS}/${anyId(random)}/${random.pick(['rotate', 'rotate', 'revoke'])}`, {}];
    default: {
      const named = some(random, { tenant: ['acme', 'beta', 'nobody'] });
      const path = random.pick(['/api/v2/admin/plates/erase', '/api/v2/admin/municipalities/H501/restore']);
      return ['POST', path, { plate: 'AB123CD', ...named }];
    }
  }
}

/** All that is beyond the office of acme: other tenants' rows, and of its own what is the administrator's. */
async function beyond(): Promise<unknown> {
  const placeholders = ids.offices.map(() => '?').join();
  const read = await env.DB.batch([
    env.DB.prepare('select * from tenants order by id'),
    env.DB.prepare('select * from municipalities where tenant_id <> 1 order by id'),
    env.DB.prepare('select id, code, tenant_id, active from municipalities order by id'),
    env.DB.prepare('select * from areas where municipality_id = 3 order by id'),
    env.DB.prepare('select * from sources where municipality_id = 3 order by id'),
    env.DB.prepare(`select * from credentials where tenant <> 'acme' order by id`),
    env.DB.prepare(`select * from credentials where id in (${placeholders})`).bind(...ids.offices),
    env.DB.prepare(`select id from credentials where record ->> '$.scopes' like '%office%' order by id`),
  ]);
  return read.map(({ results }) => results);
}

const outcomeOf = ({ status, body }: Answer): string =>
  status < 300 ? 'OK' : String((body.error as { code: string }).code);

it(
  `nothing that an office sends changes anything beyond its bounds (TEST_SEED=${SEED})`,
  async () => {
    const random = new Random(SEED);
    const before = await beyond();
    const seen = new Set<string>();
    for (let calls = 0; calls < CALLS; calls += 1) {
      const [method, path, body] = attempt(random);
      const answer = await service.call(path, { method, body, headers: office.headers });
      seen.add(outcomeOf(answer));
      expect(await beyond(), `${calls}: ${method} ${path} ${JSON.stringify(body)}`).toEqual(before);
    }
    const expected = ['OK', 'INVALID_REQUEST', 'TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED'];
    expect([...seen].sort()).toEqual([...expected, 'NOT_FOUND', 'SCOPE_NOT_ALLOWED'].sort());
  },
  LIMIT_MS,
);
