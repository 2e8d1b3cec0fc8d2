import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { changeOf, issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY, ROME, STREET, seed, TENANT } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  counts,
  countsOf,
  errorCode,
  file,
  SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
} from './support.ts';

const MILAN = { ...ROME, id: 2, code: 'F205', name: 'Milano' };
const OSTIA = { ...ROME, id: 3, code: 'OSTIA', active: false };
/** Of another tenant. */
const NAPLES = { ...ROME, id: 4, code: 'F839', tenantId: 2 };

let service: Service;

beforeEach(async () => {
  service = new Service();
  await freshDatabase({
    ...CITY,
    tenants: [TENANT, { ...TENANT, id: 2, code: 'other' }],
    municipalities: [ROME, MILAN, OSTIA, NAPLES],
    areas: [STREET, { ...STREET, id: 2, municipalityId: 2 }],
    sources: [
      APP_SOURCE,
      { ...APP_SOURCE, id: 2, code: 'app2' },
      { ...APP_SOURCE, id: 3, code: 'off', active: false },
      { ...APP_SOURCE, id: 4, code: 'milan', municipalityId: 2 },
    ],
    subscriptionTypes: [],
  });
});

const importTo = (path: string, { headers }: TestCredential, body = '') => send(service, path, body, headers);
const outcome = (answer: Answer) => [answer.status, errorCode(answer)];

describe('A credential bound to a source', () => {
  it('imports its sessions, and no subscriptions: 403, at no cost to its budget', async () => {
    const credential = await issueCredential({ sourceCode: 'app1', rateLimit: 1 });
    for (let tried = 0; tried < 3; tried++) {
      const refused = await importTo(SUBSCRIPTIONS, credential, file([aSubscriptionLine()]));
      expect(outcome(refused)).toEqual([403, 'SCOPE_NOT_ALLOWED']);
      expect(refused.headers.get('RateLimit')).toBeNull();
      expect(refused.headers.get('WWW-Authenticate')).toContain('insufficient_scope');
    }
    expect((await importTo(SESSIONS, credential)).status).toBe(200);
    const { results } = await env.DB.prepare('select * from subscriptions').all();
    expect(results).toEqual([]);
  });

  it('has its subscriptions refused also right after its sessions were taken by the same isolate', async () => {
    const credential = await issueCredential({ sourceCode: 'app1' });
    expect((await importTo(SESSIONS, credential)).status).toBe(200);
    expect(outcome(await importTo(SUBSCRIPTIONS, credential))).toEqual([403, 'SCOPE_NOT_ALLOWED']);
  });
});

describe.each([SESSIONS, SUBSCRIPTIONS])('POST %s', (path) => {
  /** Bound to a source where that is what may be imported. */
  const bound = (sourceCode = 'app1') => ({ sourceCode: path === SESSIONS ? sourceCode : null });

  it('takes the access token in Authorization and nowhere else', async () => {
    const { accessToken, apiKey } = await issueCredential(bound());
    for (const headers of [{}, { 'X-Service-Token': accessToken }, { 'X-Api-Key': apiKey }]) {
      expect(outcome(await send(service, path, '', headers))).toEqual([401, 'TOKEN_MISSING']);
    }
  });

  it('is for credentials with the scope import', async () => {
    const credential = await issueCredential({ scopes: ['plate_check', 'report', 'subscription_options'] });
    expect(outcome(await importTo(path, credential))).toEqual([403, 'SCOPE_NOT_ALLOWED']);
  });

  it('answers no other method', async () => {
    const { headers } = await issueCredential();
    const answer = await service.call(path, { headers });
    expect(outcome(answer)).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers.get('Allow')).toBe('POST');
  });

  it('says what is left of the budget', async () => {
    const credential = await issueCredential({ ...bound(), rateLimit: 3 });
    const answer = await importTo(path, credential);
    expect(answer.headers.get('RateLimit-Policy')).toContain('q=3');
    expect(answer.headers.get('RateLimit')).toContain('r=2');
  });

  it('goes into the call log with its municipality', async () => {
    const { headers, credentialId } = await issueCredential(bound());
    const answer = await service.settle(path, {
      method: 'POST',
      body: '',
      headers: { 'Content-Type': 'application/x-ndjson', ...headers },
    });
    const row = await env.DB.prepare(
      'select operation, credential_id, municipality_code, outcome, request from logged_calls where request_id = ?',
    )
      .bind(answer.headers.get('X-Request-Id'))
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
    const type = { 'Content-Type': 'application/x-ndjson' };
    const badText = new Uint8Array([0xff]);
    const tooLarge = new Uint8Array(8 * 1024 * 1024 + 1).fill(0xff);
    const badQuery = `${path}?municipality_code=`;
    const badMunicipality = `${path}?municipality_code=X`;
    const steps: [string, Uint8Array, Record<string, string>, number][] = [
      [badQuery, tooLarge, { 'Content-Type': 'text/plain' }, 415],
      [badQuery, tooLarge, { ...type, 'Content-Length': String(tooLarge.length) }, 413],
      [badQuery, badText, type, 422],
      [badMunicipality, badText, type, 403],
    ];
    for (const [url, body, contentType, status] of steps) {
      const answer = await send(service, url, body, { ...headers, ...contentType });
      expect(answer.status).toBe(status);
    }
  });

  it.each([
    ['?municipality_code=', 'municipality_code'],
    [`?municipality_code=${'x'.repeat(81)}`, 'municipality_code'],
    ['?municipality_code=H501&municipality_code=F205', 'municipality_code'],
  ])('refuses the query %s', async (query, parameter) => {
    const answer = await importTo(path + query, await issueCredential(bound()));
    expect(outcome(answer)).toEqual([422, 'INVALID_REQUEST']);
    expect(answer.body).toMatchObject({ error: { details: { issues: [{ path: parameter }] } } });
  });
});

describe('The municipality of an import', () => {
  it.each([
    ['its only one, when none is named', [1], '', 200, undefined],
    ['none, when it has an inactive one too and none is named', [1, 3], '', 422, 'MUNICIPALITY_REQUIRED'],
    ['the one that is named', [1, 2], '?municipality_code=H501', 200, undefined],
    ['none, when it has several and none is named', [1, 2], '', 422, 'MUNICIPALITY_REQUIRED'],
    ['none, when its only one is inactive', [3], '', 403, 'MUNICIPALITY_NOT_ALLOWED'],
    ['none, when it has none at all', [], '', 403, 'MUNICIPALITY_NOT_ALLOWED'],
    ['none that is not its own', [1], '?municipality_code=F205', 403, 'MUNICIPALITY_NOT_ALLOWED'],
    ['none of another tenant', [1, 4], '?municipality_code=F839', 403, 'MUNICIPALITY_NOT_ALLOWED'],
    ['none that is inactive', [1, 3], '?municipality_code=OSTIA', 403, 'MUNICIPALITY_NOT_ALLOWED'],
    ['none that is unknown', [1], '?municipality_code=X', 403, 'MUNICIPALITY_NOT_ALLOWED'],
    ['none in other letters', [1], '?municipality_code=h501', 403, 'MUNICIPALITY_NOT_ALLOWED'],
  ] as const)('is %s', async (_name, municipalityIds, query, status, code) => {
    const credential = await issueCredential({}, municipalityIds);
    expect(outcome(await importTo(SUBSCRIPTIONS + query, credential))).toEqual([status, code]);
  });

  it('is none of a tenant that is disabled', async () => {
    const credential = await issueCredential();
    await env.DB.prepare('update tenants set active = 0 where id = 1').run();
    expect(outcome(await importTo(SUBSCRIPTIONS, credential))).toEqual([403, 'TENANT_DISABLED']);
  });

  it('is where the lines go', async () => {
    const credential = await issueCredential({}, [1, 2]);
    const query = '?municipality_code=F205&source_code=milan';
    await importTo(SESSIONS + query, credential, file([aSessionLine()]));
    const row = await env.DB.prepare('select municipality_id, area_id from parking_sessions').first();
    expect(row).toEqual({ municipality_id: 2, area_id: 2 });
  });
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
  ] as const)('is %s', async (_name, sourceCode, query, status, code) => {
    const credential = await issueCredential({ sourceCode });
    expect(outcome(await importTo(SESSIONS + query, credential))).toEqual([status, code]);
  });

  it('must be named where the credential is bound to none', async () => {
    const answer = await importTo(SESSIONS, await issueCredential());
    expect(outcome(answer)).toEqual([422, 'INVALID_REQUEST']);
    expect(answer.body).toMatchObject({
      error: { details: { issues: [{ path: 'source_code', message: 'is required' }] } },
    });
  });

  it('is judged after the municipality', async () => {
    const credential = await issueCredential({ sourceCode: 'app1' });
    const query = '?municipality_code=X&source_code=app2';
    expect(outcome(await importTo(SESSIONS + query, credential))).toEqual([403, 'MUNICIPALITY_NOT_ALLOWED']);
  });

  it('is no matter for subscriptions', async () => {
    await seed({ subscriptionTypes: CITY.subscriptionTypes });
    const credential = await issueCredential();
    const answer = await importTo(`${SUBSCRIPTIONS}?source_code=X`, credential, file([aSubscriptionLine()]));
    expect(countsOf(answer)).toEqual(counts({ received: 1, created: 1 }));
  });
});

describe('The budget of the imports', () => {
  it('is one for both, and apart from the budget of the plate checks', async () => {
    const credential = await issueCredential({ rateLimit: 2 });
    const sessions = `${SESSIONS}?source_code=app1`;
    const check = () => service.post('/api/v2/parking/check-plate', { plate: 'AB123CD' }, credential.headers);
    expect((await check()).status).toBe(200);
    expect((await check()).status).toBe(200);
    expect((await importTo(sessions, credential)).status).toBe(200);
    expect((await importTo(SUBSCRIPTIONS, credential)).status).toBe(200);
    const refused = await importTo(sessions, credential, file([aSessionLine()]));
    expect(outcome(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await storedSessions()).toEqual([]);
  });
});

describe('A credential that was admitted a moment ago', () => {
  it('stores nothing once it is revoked', async () => {
    const credential = await issueCredential({ sourceCode: 'app1' });
    expect((await importTo(SESSIONS, credential)).status).toBe(200);
    await changeOf(credential, (held) => ({ ...held, revokedAt: instant(1) }));
    const answer = await importTo(SESSIONS, credential, file([aSessionLine()]));
    expect(outcome(answer)).toEqual([401, 'TOKEN_REVOKED']);
    expect(await storedSessions()).toEqual([]);
  });
});
