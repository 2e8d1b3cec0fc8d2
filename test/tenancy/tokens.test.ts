import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { instant } from '../../src/domain/instant.ts';
import { CITY as DOCUMENT } from '../configuration/support.ts';
import { aSessionLine, aSubscriptionLine } from '../imports/support.ts';
import { CREDENTIAL_OPERATIONS } from '../suites/operations.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { configurationVersion } from '../support/past.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

/** Seen in plates alone: nobody but a parking session or a subscription has it. */
const PLATE = 'ZQ17WXK';
const CONFIGURATION = '/api/v2/admin/configuration';
const CREDENTIALS = '/api/v2/admin/credentials';

const service = new Service();
const lines: string[] = [];
/** What was answered, but to whom a new pair was shown. */
const answers: string[] = [];
let caller: TestCredential;
/** What must be found nowhere: the secrets of tokens, and the service's own. */
let secrets: readonly string[];

beforeAll(async () => {
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((...said) => lines.push(JSON.stringify(said)));
  }
  await seed({ ...CITY, configurationVersions: [configurationVersion(0)] });
  caller = await issueCredential();
  secrets = [caller.accessToken, caller.apiKey].map((token) => token.split('_')[3] ?? expect.fail());
  await everyPlace();
  await runCron('* * * * *', env, () => instant(Date.now()));
}, 300_000);
afterAll(() => vi.restoreAllMocks());

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

async function send(path: string, { method = 'POST', body, headers = {} }: Sent = {}): Promise<void> {
  const request = new Request(`https://parking.test${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': '203.0.113.7', ...headers },
    ...(body !== undefined && { body }),
  });
  const answer = await service.send(request);
  await answer.settled();
  expect(answer.status).toBeLessThan(500);
  answers.push(answer.text, JSON.stringify([...answer.headers]));
}

/** The paths that lead to each text in a document. */
function textsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value === 'string') return [[...path]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => textsIn(item, [...path, name]));
}

/** The document with this in the place of what the path leads to. */
function withText(document: object, path: readonly string[], text: string): object {
  const copy: Record<string, unknown> = structuredClone(document) as Record<string, unknown>;
  let node = copy;
  for (const name of path.slice(0, -1)) node = node[name] as Record<string, unknown>;
  node[path.at(-1) ?? ''] = text;
  return copy;
}

/**
 * Documents that differ from a right one in one text or in one property more. In the short run each text holds the token
 * in one of two forms, and another token in the other.
 */
const spoilt = (document: object, token: string): object[] => {
  const [asItIs, amongOthers] = [token, `x ${token.toUpperCase()} x`];
  const first = tokens().indexOf(token);
  return [
    ...textsIn(document).flatMap((path, index) =>
      shortOrThorough([[asItIs, amongOthers][(first + index) % 2] ?? ''], [asItIs, amongOthers]).map((text) =>
        withText(document, path, text),
      ),
    ),
    { ...document, [token]: 1 },
    { ...document, unknown: { [token]: [token] } },
  ];
};

const RIGHT: Readonly<Record<string, object>> = {
  plate_check: {
    plate: PLATE,
    municipality_code: 'H501',
    area_code: 'P1',
    event: 'entry',
    checked_at: '2026-01-01T00:00Z',
  },
  subscription_options: { plate: PLATE, municipality_code: 'H501', terminal_code: 'T-1' },
  report: { municipality_code: 'H501', area_type: 'street' },
  evidence: {
    plate: PLATE,
    municipality_code: 'H501',
    area_code: 'P1',
    event: 'entry',
    at: '2026-01-01T00:00Z',
    known_at: '2026-01-02T00:00Z',
  },
};

const headersWith = (token: string): Record<string, string>[] =>
  [
    ...['X-Service-Token', 'X-Api-Key', 'Cookie', 'User-Agent', 'Accept-Language', 'If-None-Match', 'Origin'],
    ...['CF-Connecting-IP', 'X-Forwarded-For', 'X-Request-Id', 'Referer', 'Content-Type', 'Accept'],
  ].map((name) => ({ [name]: token }));

/** The credential's own: those with a form by which they are known. */
const tokens = (): string[] => [caller.accessToken, caller.apiKey];

/** Puts a token everywhere that a client can write to. */
async function everyPlace(): Promise<void> {
  // The service's own secrets have no form to be known by: they stand where nothing is kept.
  for (const token of [...tokens(), env.ADMIN_TOKEN ?? '', env.TOKEN_KEY ?? ''])
    await inHeadersAndAddresses(token);
  for (const token of tokens()) {
    await inQueries(token);
    await inImports(token);
    await inAdministration(token);
  }
  // Whatever the configuration has become, there is a snapshot of it.
  await send('/api/v2/parking/reports/active-by-area', { body: '{}', headers: caller.headers });
}

async function inHeadersAndAddresses(token: string): Promise<void> {
  for (const [place, { path, method, body, takesBody, contentType }] of CREDENTIAL_OPERATIONS.entries()) {
    const right = {
      method,
      ...(takesBody && { body }),
      headers: { ...caller.headers, 'Content-Type': contentType },
    };
    // In the short run each header comes to every fourth operation.
    for (const strange of headersWith(token).filter(
      (_, index) => (index + place) % shortOrThorough(4, 1) === 0,
    )) {
      await send(path, { ...right, headers: { ...right.headers, ...strange } });
      await send(path, { ...right, headers: strange });
    }
    for (const authorization of [token, `Basic ${token}`, `Bearer ${token}x`, `Bearer x ${token}`]) {
      await send(path, { ...right, headers: { ...right.headers, Authorization: authorization } });
    }
    // The name of an unknown parameter is repeated, but for a token in it.
    const named = tokens().includes(token) ? `&${token}=1` : '';
    await send(
      `${path}${path.includes('?') ? '&' : '?'}token=${token}${named}&municipality_code=${token}`,
      right,
    );
    await send(`${path.split('?')[0]}/${token}`, right);
  }
  for (const path of [
    CONFIGURATION,
    CREDENTIALS,
    `${CREDENTIALS}/${token}`,
    `/api/v2/admin/calls/${token}`,
    `/${token}`,
  ]) {
    await send(`${path}?municipality_code=${token}&tenant=${token}&after=${token}`, {
      method: 'GET',
      headers: ADMIN,
    });
    await send(path, { method: 'GET', headers: { Authorization: `Bearer x${token}` } });
  }
}

async function inQueries(token: string): Promise<void> {
  for (const { path, scope } of CREDENTIAL_OPERATIONS) {
    const right = scope === null ? undefined : RIGHT[scope];
    if (right === undefined) continue;
    const bodies = [
      ...spoilt(right, token).map((document) => JSON.stringify(document)),
      token,
      `{"plate":"${token}`,
      JSON.stringify(right).replace('"plate"', `"${token}":"\\u0070${token.slice(1)}","plate"`),
    ];
    for (const body of bodies) await send(path, { body, headers: caller.headers });
  }
}

async function inImports(token: string): Promise<void> {
  const headers = { ...caller.headers, 'Content-Type': 'application/x-ndjson' };
  const sessions = spoilt({ ...aSessionLine({ plate: PLATE }) }, token);
  const subscriptions = spoilt(aSubscriptionLine({ plates: [{ plate: PLATE }] }), token);
  const file = (lines: readonly object[]) => [...lines.map((line) => JSON.stringify(line)), token].join('\n');
  await send('/api/v2/imports/sessions?source_code=app1', { body: file(sessions), headers });
  await send('/api/v2/imports/subscriptions', { body: file(subscriptions), headers });
}

async function inAdministration(token: string): Promise<void> {
  for (const document of spoilt(DOCUMENT, token)) {
    await send(CONFIGURATION, { method: 'PUT', body: JSON.stringify(document), headers: ADMIN });
  }
  const right = {
    tenant: 'acme',
    name: 'n',
    scopes: ['report'],
    municipalities: ['H501'],
    source_code: 'app1',
  };
  const { tenant: _, ...change } = right;
  for (const document of spoilt(right, token)) {
    await send(CREDENTIALS, { body: JSON.stringify(document), headers: ADMIN });
  }
  for (const document of [...spoilt(change, token), { ip_allowlist: [token] }, { expires_at: token }]) {
    const path = `${CREDENTIALS}/${caller.credentialId}`;
    await send(path, { method: 'PATCH', body: JSON.stringify(document), headers: ADMIN });
    await send(`${path}/rotate`, { body: JSON.stringify({ [token]: token }), headers: ADMIN });
    await send(`${path}/revoke`, { body: JSON.stringify({ [token]: token }), headers: ADMIN });
  }
}

const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
  (await env.DB.prepare(`select * from "${table}"`).all()).results;

/** All that is kept, by where it is kept. */
async function kept(): Promise<Record<string, string>> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  ).all<{ name: string }>();
  const tables = await Promise.all(
    results.map(async ({ name }) => JSON.stringify([name, await rowsOf(name)])),
  );
  const { keys } = await env.SNAPSHOTS.list();
  const values = await Promise.all(keys.map(async ({ name }) => `${name} ${await env.SNAPSHOTS.get(name)}`));
  const object = await runInDurableObject(env.CREDENTIALS.getByName(caller.credentialId), (_, { storage }) =>
    JSON.stringify([...storage.kv.list()]),
  );
  return {
    'the database': tables.join('\n'),
    'the snapshots': values.join('\n'),
    'the object': object,
    'the log': lines.join('\n'),
    'the answers': answers.join('\n'),
  };
}

describe('After tokens were put everywhere that a client can write to', () => {
  it('none stands anywhere that is kept, or in an answer', async () => {
    const places = await kept();
    // What is searched holds what it should.
    expect(places['the database']).toContain('MUNICIPALITY_NOT_ALLOWED');
    expect(places['the snapshots']).toContain('H501');
    expect(places['the object']).toContain(caller.credentialId);
    expect(places['the log']).toContain('import_sessions');
    expect(places['the answers']).toContain('INVALID_REQUEST');
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [...secrets, env.ADMIN_TOKEN ?? '', env.TOKEN_KEY ?? '']) {
        expect(text.toLowerCase().indexOf(secret.toLowerCase()), `${secret} in ${place}`).toBe(-1);
      }
    }
  });

  it('no plate is in the log, in the snapshots or in the rows of calls that are not kept whole', async () => {
    const { 'the log': log = '', 'the snapshots': snapshots = '' } = await kept();
    const calls = await rowsOf('calls');
    // A search of payments has the name of a payment in the log, and the outcome of what just reads.
    const isWhole = ({ operation, outcome }: Record<string, unknown>) =>
      operation === 'subscription_options' || (operation === 'subscription_payment' && outcome !== 'OK');
    const whole = calls.filter(isWhole);
    const others = calls.filter((call) => !isWhole(call));
    expect(JSON.stringify(whole)).toContain(PLATE);
    expect(others.length).toBeGreaterThan(shortOrThorough(300, 500));
    expect(others.filter(({ request, response }) => request !== null || response !== null)).toEqual([]);
    for (const text of [log, snapshots, JSON.stringify(others)]) expect(text).not.toContain(PLATE);
  });
});
