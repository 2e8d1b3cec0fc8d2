import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { aSessionLine, aSubscriptionLine, countsOf, errorsOf, send } from '../imports/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const CONFIGURATION = '/api/v2/admin/configuration';

const service = new Service();
let credential: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITY,
    parkingSessions: [
      {
        ...{ municipalityId: 1, sourceCode: 'app1', sessionId: 'known', areaId: 2, plate: 'AB123CD' },
        ...{ startsAt: Date.now() - 3_600_000, endsAt: Date.now() + 3_600_000 },
      },
    ],
  });
  credential = await issueCredential();
});

const outcomeOf = ({ status, body }: Answer): unknown =>
  status === 200 ? 'OK' : (body.error as { code: string }).code;

/** What a database may end a text at, drop from it, or take for another. */
const AMBIGUOUS = ['\u0000', '\u0000x', '\ud800', '\udc00', '\ufffd', '\u200b', '\u0301'];

describe('A text that the database could take for another finds nothing:', () => {
  it.each(AMBIGUOUS)('%j', async (more) => {
    const check = (body: object) => service.post(CHECK, { plate: 'AB123CD', ...body }, credential.headers);
    expect(outcomeOf(await check({ area_code: 'P1' }))).toBe('OK');
    expect(outcomeOf(await check({ area_code: `P1${more}` }))).toBe('AREA_NOT_FOUND');
    expect(outcomeOf(await check({ municipality_code: `H501${more}` }))).toBe('MUNICIPALITY_NOT_ALLOWED');
    const escaped = encodeURIComponent(more.toWellFormed());
    const source = await send(
      service,
      `/api/v2/imports/sessions?source_code=app1${escaped}`,
      '',
      credential.headers,
    );
    expect(outcomeOf(source)).toBe('SOURCE_NOT_FOUND');
    for (const path of [
      `/api/v2/admin/credentials/${credential.credentialId}${escaped}/rotate`,
      `/api/v2/admin/credentials/${credential.credentialId}${escaped}/revoke`,
    ]) {
      expect(outcomeOf(await service.post(path, {}, ADMIN))).toBe('NOT_FOUND');
    }
    expect(outcomeOf(await service.post(OPTIONS, { plate: `AB${more}1` }, credential.headers))).toBe('OK');
  });
});

describe('A text that the database would not give back as it came is refused:', () => {
  it.each(['\u0000', '\ud800', '\udc00\ud800', '\n', '\u0085'])('%j', async (part) => {
    const text = `a${part}b`;
    const put = (document: object) =>
      service.call(CONFIGURATION, { method: 'PUT', body: document, headers: ADMIN });
    expect(outcomeOf(await put({ tenants: [{ code: 'new', name: text }] }))).toBe('INVALID_REQUEST');
    expect(outcomeOf(await put({ tenants: [{ code: text, name: 'New' }] }))).toBe('INVALID_REQUEST');
    const lines = [aSessionLine({ session_id: text }), aSessionLine({ area_code: text })];
    const sessions = await send(
      service,
      '/api/v2/imports/sessions?source_code=app1',
      lines.map((line) => JSON.stringify(line)).join('\n'),
      credential.headers,
    );
    expect(errorsOf(sessions).map(({ code }) => code)).toEqual(['INVALID_REQUEST', 'AREA_NOT_FOUND']);
    const subscription = JSON.stringify(aSubscriptionLine({ subscription_number: text }));
    const subscriptions = await send(
      service,
      '/api/v2/imports/subscriptions',
      subscription,
      credential.headers,
    );
    expect(errorsOf(subscriptions).map(({ code }) => code)).toEqual(['INVALID_REQUEST']);
  });
});

describe('A character that turns the direction of text', () => {
  // The first and the last of both ranges, and their neighbours, which turn nothing.
  it.each(['\u202a', '\u202e', '\u2066', '\u2069'])(
    'is in no code, no name and no key: %j',
    async (turning) => {
      expect(await outcomesWith(`a${turning}b`)).toEqual(Array(5).fill('INVALID_REQUEST'));
    },
  );

  it.each(['\u2029', '\u202f', '\u2065', '\u206a'])('is not %j', async (other) => {
    expect(await outcomesWith(`a${other}b`)).toEqual(Array(5).fill('OK'));
  });
});

it.each(['.', '..', ' . '])('No path can name the code %j, so nothing gets it', async (code) => {
  const answer = await put({
    municipalities: [{ code: 'H501', sources: [{ code, name: 'New', category: 'app' }] }],
  });
  expect(outcomeOf(answer)).toBe('INVALID_REQUEST');
});

const put = (document: object) =>
  service.call(CONFIGURATION, { method: 'PUT', body: document, headers: ADMIN });

/** What comes of a text as a code, as names, and as the keys of imports. */
async function outcomesWith(text: string): Promise<unknown[]> {
  const issued = await service.post(
    '/api/v2/admin/credentials',
    { tenant: 'acme', name: text, scopes: ['report'], municipalities: ['H501'] },
    ADMIN,
  );
  const imported = async (path: string, line: object) =>
    errorsOf(await send(service, path, JSON.stringify(line), credential.headers))[0]?.code ?? 'OK';
  return [
    outcomeOf(await put({ tenants: [{ code: text, name: 'New' }] })),
    outcomeOf(await put({ tenants: [{ code: 'new', name: text }] })),
    issued.status === 201 ? 'OK' : outcomeOf(issued),
    await imported('/api/v2/imports/sessions?source_code=app1', aSessionLine({ session_id: text })),
    await imported('/api/v2/imports/subscriptions', aSubscriptionLine({ subscription_number: text })),
  ];
}

describe('A name of an object’s own property is a name like any other:', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s', async (name) => {
    const check = await service.call(CHECK, {
      method: 'POST',
      headers: { ...credential.headers, 'Content-Type': 'application/json' },
      body: `{"plate":"AB123CD","area_code":"${name}","${name}":{"plate":1,"event":"entry"}}`,
    });
    expect(outcomeOf(check)).toBe('AREA_NOT_FOUND');
    const report = await service.call('/api/v2/parking/reports/active-by-area', {
      method: 'POST',
      headers: { ...credential.headers, 'Content-Type': 'application/json' },
      body: `{"${name}":{"area_type":"facility"}}`,
    });
    expect(outcomeOf(report)).toBe('INVALID_REQUEST');
    const document = (code: string) =>
      `{"municipalities":[{"code":"H501","areas":[{"code":"${code}","name":"x","area_type":"street"}]}]}`;
    const put = await service.call(CONFIGURATION, {
      method: 'PUT',
      headers: { ...ADMIN, 'Content-Type': 'application/json' },
      body: document(name),
    });
    expect(put).toMatchObject({ status: 200, body: { created: 1, unchanged: 1 } });
    const line = JSON.stringify(aSessionLine({ session_id: name, area_code: name }));
    const path = '/api/v2/imports/sessions?source_code=app1';
    expect(countsOf(await send(service, path, line, credential.headers))).toMatchObject({ created: 1 });
    expect(countsOf(await send(service, path, line, credential.headers))).toMatchObject({ unchanged: 1 });
  });
});

it('No row is lost for what clients write into a header that stands before the service', async () => {
  const { credentialId, headers } = await issueCredential();
  const gathering = new Service({}, 200);
  const answers = await Promise.all(
    Array.from({ length: 400 }, () =>
      gathering.settle(CHECK, {
        method: 'POST',
        body: { plate: 'A' },
        headers: { ...headers, 'CF-Connecting-IP': '1'.repeat(6_000) },
      }),
    ),
  );
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  const counted = await env.DB.prepare(
    'select count(*) as rows, max(length(address)) as longest from logged_calls where credential_id = ?',
  )
    .bind(credentialId)
    .first();
  expect(counted).toEqual({ rows: 400, longest: null });
});
