import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { APP_SOURCE, CITY, ROME, STREET } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  file,
  SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';
import { watchedDb } from './watched-db.ts';

const city = new City(
  {
    ...CITY,
    municipalities: [ROME, { ...ROME, id: 2, code: 'F205' }],
    areas: [STREET, { ...STREET, id: 2, municipalityId: 2 }],
    sources: [
      APP_SOURCE,
      { ...APP_SOURCE, id: 2, code: 'app2' },
      { ...APP_SOURCE, id: 3, code: 'off', active: false },
      { ...APP_SOURCE, id: 4, code: 'milan', municipalityId: 2 },
    ],
  },
  { anew: true },
);

const importBy = async (sourceCode: string | null, path: string, body: string | Uint8Array = '', more = {}) =>
  send(city.service, path, body, { ...(await issueCredential({ sourceCode })).headers, ...more });

describe.each([SESSIONS, SUBSCRIPTIONS])('POST %s', (path) => {
  const of = (sourceCode: string) => (path === SESSIONS ? sourceCode : null);

  it('goes into the call log with its municipality', async () => {
    const { headers, credentialId } = await issueCredential({ sourceCode: of('app1') });
    const { body } = await city.post(path, '', { ...headers, 'Content-Type': 'application/x-ndjson' });
    const row = await env.DB.prepare(
      'select operation, credential_id, municipality_code, outcome, request from logged_calls where request_id = ?',
    )
      .bind(body.request_id)
      .first();
    const operation = path === SESSIONS ? 'import_sessions' : 'import_subscriptions';
    expect(row).toEqual({
      ...{ operation, credential_id: credentialId, municipality_code: 'H501', outcome: 'OK', request: null },
    });
  });

  it('checks the content type, then the announced size, then the query, then the municipality, then the text', async () => {
    const badText = new Uint8Array([0xff]);
    const tooLarge = new Uint8Array(8 * 1024 * 1024 + 1).fill(0xff);
    const announced = { 'Content-Length': String(tooLarge.length) };
    const steps: [string, Uint8Array, Record<string, string>, number][] = [
      ['?municipality_code=', tooLarge, { 'Content-Type': 'text/plain' }, 415],
      ['?municipality_code=', tooLarge, announced, 413],
      ['?municipality_code=', badText, {}, 422],
      ['?municipality_code=H501&municipality_code=F205', badText, {}, 422],
      ['?municipality_code=X&dryrun=true', badText, {}, 422],
      ['?municipality_code=X', badText, {}, 403],
    ];
    for (const [query, body, more, status] of steps) {
      expect((await importBy(of('nowhere'), path + query, body, more)).status).toBe(status);
    }
  });
});

it('An import into a city that its credential does not name reads nothing of it', async () => {
  const read: string[] = [];
  const DB = watchedDb({ before: (statements) => void read.push(...statements) });
  const { headers } = await issueCredential();
  const { status } = await send(new Service({ DB }), `${SUBSCRIPTIONS}?municipality_code=F205`, '', headers);
  expect([status, read.filter((sql) => sql.startsWith('select'))]).toEqual([403, []]);
});

it('The lines of an import go to the municipality that it names', async () => {
  const { headers } = await issueCredential({}, [1, 2]);
  const query = '?municipality_code=F205&source_code=milan';
  await send(city.service, SESSIONS + query, file([aSessionLine()]), headers);
  const row = await env.DB.prepare('select municipality_id, area_id from parking_sessions').first();
  expect(row).toEqual({ municipality_id: 2, area_id: 2 });
});

describe('The source of a session import', () => {
  it.each([
    ['the one that the credential is bound to', 'app1', '', 200, undefined],
    ['the same, when it is named', 'app1', '?source_code=app1', 200, undefined],
    ['the one that is named, for a credential bound to none', null, '?source_code=app2', 200, undefined],
    ['none other than the bound one', 'app1', '?source_code=app2', 404, 'SOURCE_NOT_FOUND'],
    ['none that is inactive', null, '?source_code=off', 404, 'SOURCE_NOT_FOUND'],
    ['none that is unknown', null, '?source_code=X', 404, 'SOURCE_NOT_FOUND'],
    ['none of another municipality', null, '?source_code=milan', 404, 'SOURCE_NOT_FOUND'],
    ['none that is bound but gone', 'gone', '', 404, 'SOURCE_NOT_FOUND'],
    ['none that is blank', 'app1', '?source_code=', 422, 'INVALID_REQUEST'],
    ['to be named where the credential is bound to none', null, '', 422, 'INVALID_REQUEST'],
  ] as const)('is %s', async (_name, sourceCode, query, status, code) => {
    expect(outcomeOf(await importBy(sourceCode, SESSIONS + query))).toEqual([status, code]);
  });

  it('is no matter for subscriptions, which a credential that is bound to one may not import', async () => {
    const path = `${SUBSCRIPTIONS}?source_code=X`;
    const body = file([aSubscriptionLine()]);
    expect(countsOf(await importBy(null, path, body))).toEqual(counts({ received: 1, created: 1 }));
    expect(outcomeOf(await importBy('app1', path, body))).toEqual([403, 'SCOPE_NOT_ALLOWED']);
  });
});
