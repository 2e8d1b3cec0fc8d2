import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, type Answer, Service } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import {
  beginNation,
  check,
  credentialFor,
  MILANO,
  type Nation,
  options,
  plateOf,
  ROMA,
  report,
  TORINO,
} from './nation.ts';

type Headers = Record<string, string>;

const ASKED = { municipality_code: ROMA.code, plate: plateOf(ROMA) };
const inRoma = `municipality_code=${ROMA.code}`;
const LINES: Headers = { 'Content-Type': 'application/x-ndjson' };

/** Whatever asks for Roma, whose old rows are still in the home. */
const CALLS: readonly (readonly [string, (service: Service, headers: Headers) => Promise<Answer>])[] = [
  ['a plate check', (service, headers) => check(service, headers, ASKED)],
  ['a plate check of another plate', (service, headers) => check(service, headers, { ...ASKED, plate: 'X' })],
  ['a gate', (service, headers) => check(service, headers, { ...ASKED, area_code: 'P1', event: 'entry' })],
  ['V1', (service, headers) => service.post('/api/v1/parking/check-plate', ASKED, headers)],
  ['options', (service, headers) => options(service, headers, ASKED)],
  ['a report', (service, headers) => report(service, headers, { municipality_code: ROMA.code })],
  [
    'evidence',
    (service, headers) =>
      service.post('/api/v2/evidence/search', { ...ASKED, at: new Date().toISOString() }, headers),
  ],
  [
    'a patrol',
    (service, headers) =>
      service.post(
        '/api/v2/patrol/checks',
        { municipality_code: ROMA.code, checks: [{ id: '1', plate: plateOf(ROMA), area_code: 'P1' }] },
        headers,
      ),
  ],
  [
    'the entitlement list',
    (service, headers) => service.call(`/api/v2/facilities/P1/entitlement-list?${inRoma}`, { headers }),
  ],
  ...(['sessions?source_code=app1&', 'subscriptions?'] as const).map(
    (kind) =>
      [
        `an import of ${kind.split('?')[0]}`,
        (service: Service, headers: Headers) =>
          service.call(`/api/v2/imports/${kind}${inRoma}`, {
            method: 'POST',
            headers: { ...headers, ...LINES },
            body: '{}',
          }),
      ] as const,
  ),
  [
    'the configuration',
    (service) => service.call(`/api/v2/admin/configuration?${inRoma}`, { headers: ADMIN }),
  ],
  [
    'a document that names it',
    (service) =>
      service.call('/api/v2/admin/configuration', {
        method: 'PUT',
        headers: ADMIN,
        body: { municipalities: [{ code: ROMA.code, name: 'Rome' }] },
      }),
  ],
  ['a credential that is bound to a source of it', (service) => issueFor(service, ROMA.code)],
  ['an export, at its end', exportAll],
  ['an erasure', (service) => aboutPlate(service, 'erase', {})],
];

const aboutPlate = (service: Service, what: 'export' | 'erase', more: object): Promise<Answer> =>
  service.call(`/api/v2/admin/plates/${what}`, {
    method: 'POST',
    headers: ADMIN,
    body: { tenant: 'acme', plate: 'X', ...more },
  });

/** Takes all pages: what it cannot find it looks for again, but never says that it was all. */
async function exportAll(service: Service): Promise<Answer> {
  let page = await aboutPlate(service, 'export', {});
  while (page.status === 200 && page.body.next !== null) {
    page = await aboutPlate(service, 'export', { after: page.body.next });
  }
  return page;
}

const issueFor = (service: Service, code: string): Promise<Answer> =>
  service.call('/api/v2/admin/credentials', {
    method: 'POST',
    headers: ADMIN,
    body: { tenant: 'acme', name: 'x', scopes: ['import'], municipalities: [code], source_code: 'app1' },
  });

let nation: Nation;
let headers: Headers;

const pointRomaTo = (database: string | null) =>
  env.DB.prepare('update municipalities set moved_to = ? where code = ?').bind(database, ROMA.code).run();

beforeAll(async () => {
  nation = await beginNation();
  headers = await credentialFor(nation.service, [ROMA.code], {
    scopes: [
      ...['plate_check', 'subscription_options', 'report'],
      ...['evidence', 'entitlement_list', 'patrol', 'import'],
    ],
  });
});

describe.each([
  ['one database alone bound', { database: 'DB_2', bound: {} }],
  ['several bound, and not that one', { database: 'DB_9', bound: SEVERAL }],
])('A municipality whose row points to a database that is not bound, with %s', (_, { database, bound }) => {
  beforeAll(() => pointRomaTo(database));

  it.each(CALLS)('fails %s: what was left behind says nothing', async (_call, call) => {
    const { status, body } = await call(new Service(bound), headers);
    expect([status, body?.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
  });

  it('fails a check that leaves the choice to its credential', async () => {
    const answer = await check(new Service(bound), headers, { plate: 'X' });
    expect([answer.status, answer.body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
  });
});

describe('A report of a municipality whose database is not bound any more', () => {
  it('is answered from its snapshot while that is recent', async () => {
    await pointRomaTo(null);
    const asked = { municipality_code: ROMA.code };
    expect((await report(nation.service, headers, asked)).status).toBe(200);
    await pointRomaTo('DB_9');
    expect((await report(nation.service, headers, asked)).body).toMatchObject({ totals: { active_now: 1 } });
  });
});

describe('A credential bound to a source', () => {
  it('is not refused because the database of its municipality has no row of that', async () => {
    const rename = (from: string, to: string) =>
      env.THIRD.prepare('update municipalities set code = ? where code = ?').bind(to, from).run();
    await rename(MILANO.code, 'GONE');
    expect((await issueFor(nation.service, MILANO.code)).status).toBe(500);
    await rename('GONE', MILANO.code);
    expect((await issueFor(nation.service, MILANO.code)).status).toBe(201);
    expect((await issueFor(nation.service, TORINO.code)).status).toBe(201);
  });
});
