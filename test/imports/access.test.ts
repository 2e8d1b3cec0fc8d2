import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { City, outcomeOf } from '../support/city.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { APP_SOURCE, CITY, ROME, STREET } from '../support/seed.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  file,
  SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
} from './support.ts';

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

const importTo = (path: string, { headers }: TestCredential, body = '') =>
  send(city.service, path, body, headers);

describe('A credential bound to a source', () => {
  it('imports its sessions, and no subscriptions: 403, at no cost to its budget', async () => {
    const credential = await issueCredential({ sourceCode: 'app1', rateLimit: 1 });
    for (let tried = 0; tried < 2; tried++) {
      const refused = await importTo(SUBSCRIPTIONS, credential, file([aSubscriptionLine()]));
      expect(outcomeOf(refused)).toEqual([403, 'SCOPE_NOT_ALLOWED']);
      expect(refused.headers.get('RateLimit')).toBeNull();
      expect(refused.headers.get('WWW-Authenticate')).toContain('insufficient_scope');
    }
    expect((await importTo(SESSIONS, credential)).status).toBe(200);
    expect((await env.DB.prepare('select * from subscriptions').all()).results).toEqual([]);
  });
});

describe.each([SESSIONS, SUBSCRIPTIONS])('POST %s', (path) => {
  const bound = (sourceCode = 'app1') => ({ sourceCode: path === SESSIONS ? sourceCode : null });

  it('goes into the call log with its municipality', async () => {
    const { headers, credentialId } = await issueCredential(bound());
    const { body } = await city.service.settle(path, {
      method: 'POST',
      body: '',
      headers: { 'Content-Type': 'application/x-ndjson', ...headers },
    });
    const row = await env.DB.prepare(
      'select operation, credential_id, municipality_code, outcome, request from logged_calls where request_id = ?',
    )
      .bind(body.request_id)
      .first();
    expect(row).toEqual({
      operation: path === SESSIONS ? 'import_sessions' : 'import_subscriptions',
      credential_id: credentialId,
      municipality_code: 'H501',
      outcome: 'OK',
      request: null,
    });
  });

  it('checks the content type, then the announced size, then the query, then the municipality, then the text', async () => {
    const { headers } = await issueCredential(bound('nowhere'));
    const badText = new Uint8Array([0xff]);
    const tooLarge = new Uint8Array(8 * 1024 * 1024 + 1).fill(0xff);
    const announced = { 'Content-Length': String(tooLarge.length) };
    const steps: [string, Uint8Array, Record<string, string>, number][] = [
      ['?municipality_code=', tooLarge, { 'Content-Type': 'text/plain' }, 415],
      ['?municipality_code=', tooLarge, announced, 413],
      ['?municipality_code=', badText, {}, 422],
      [`?municipality_code=${'x'.repeat(81)}`, badText, {}, 422],
      ['?municipality_code=H501&municipality_code=F205', badText, {}, 422],
      ['?municipality_code=X', badText, {}, 403],
    ];
    for (const [query, body, more, status] of steps) {
      expect((await send(city.service, path + query, body, { ...headers, ...more })).status).toBe(status);
    }
  });
});

it('The lines of an import go to the municipality that it names', async () => {
  const credential = await issueCredential({}, [1, 2]);
  const query = '?municipality_code=F205&source_code=milan';
  await importTo(SESSIONS + query, credential, file([aSessionLine()]));
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
    [
      'judged after the municipality',
      'app1',
      '?municipality_code=X&source_code=app2',
      403,
      'MUNICIPALITY_NOT_ALLOWED',
    ],
  ] as const)('is %s', async (_name, sourceCode, query, status, code) => {
    const answer = await importTo(SESSIONS + query, await issueCredential({ sourceCode }));
    expect(outcomeOf(answer)).toEqual([status, code]);
  });

  it('must be named where the credential is bound to none, and is no matter for subscriptions', async () => {
    const credential = await issueCredential();
    const answer = await importTo(SESSIONS, credential);
    expect(outcomeOf(answer)).toEqual([422, 'INVALID_REQUEST']);
    expect(answer.body).toMatchObject({
      error: { details: { issues: [{ path: 'source_code', message: 'is required' }] } },
    });
    const taken = await importTo(`${SUBSCRIPTIONS}?source_code=X`, credential, file([aSubscriptionLine()]));
    expect(countsOf(taken)).toEqual(counts({ received: 1, created: 1 }));
  });
});

it('The budget of the imports is one for both, and apart from that of the plate checks', async () => {
  const credential = await issueCredential({ rateLimit: 2 });
  const sessions = `${SESSIONS}?source_code=app1`;
  const check = () =>
    city.service.post('/api/v2/parking/check-plate', { plate: 'AB123CD' }, credential.headers);
  const statuses = [await check(), await check(), await importTo(sessions, credential)];
  statuses.push(await importTo(SUBSCRIPTIONS, credential));
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const refused = await importTo(sessions, credential, file([aSessionLine()]));
  expect(outcomeOf(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(await storedSessions()).toEqual([]);
});
