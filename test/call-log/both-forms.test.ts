import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { eraseAll, exportOf, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { CHECK, EVIDENCE } from '../evidence/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { configurationRow, record } from '../support/journal.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const PLATE = 'BOTH1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
let service: Service;
let credential: TestCredential;

/** Puts calls into the table of earlier versions, as they had logged them: with whole digests and other ids. */
async function makeOld(condition: string): Promise<void> {
  const digests = JSON.stringify(await wholeDigests());
  await env.DB.batch([
    env.DB.prepare(
      `insert into call_log select request_id, at, operation, credential_id, tenant, municipality_code, address,
        http_status, outcome, duration_ms, request, response, action, target,
        (select value from json_each(?1) where substr(value, 1, 32) = plate_digest)
      from logged_calls where ${condition}`,
    ).bind(digests),
    env.DB.prepare(
      `delete from calls where lower(hex(id)) in (select replace(request_id, '-', '') from call_log)`,
    ),
  ]);
}

async function wholeDigests(): Promise<string[]> {
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(env.DIGEST_KEY?.split(',')[0]?.trim()),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return Promise.all(
    ['acme', 'H501'].map(async (place) => {
      const digest = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${place}\0${PLATE}`));
      return Buffer.from(digest).toString('hex');
    }),
  );
}

const post = (path: string, body: object) =>
  service.settle(path, { method: 'POST', body, headers: credential.headers });

/** What all who read the log say of the plate, but for the calls by which they are asked. */
async function readAll(): Promise<unknown> {
  const { body: evidence } = await service.settle(EVIDENCE, {
    method: 'POST',
    body: { plate: PLATE, at: new Date().toISOString() },
    headers: credential.headers,
  });
  const { calls } = await exportOf(service, PLATE);
  const ofPlate = (calls as { request_id: string; operation: string }[]).filter(
    ({ operation }) => operation !== 'evidence',
  );
  const looked = await Promise.all(
    ofPlate.map(({ request_id: id }) => service.settle(`/api/v2/admin/calls/${id}`, { headers: ADMIN })),
  );
  return [evidence.checks_count, evidence.checks, ofPlate, looked.map(({ body }) => body.call)];
}

beforeEach(async () => {
  await freshDatabase(CITY);
  service = new Service();
  await record(configurationRow(Date.now() - HOUR_MS));
  credential = await issueCredential();
  for (let calls = 0; calls < 3; calls += 1) {
    await post(CHECK, { plate: PLATE });
    await post(OPTIONS, { plate: PLATE, terminal_code: 'T1' });
    await post(CHECK, { plate: 'OTHER1' });
  }
});

describe.each([
  ['all calls', 'true'],
  ['half of the calls', 'rowid_of % 2 = 0'],
])('Where an earlier version has logged %s', (_, condition) => {
  const old = condition.replace('rowid_of', 'unicode(substr(request_id, -1))');

  it('evidence, exports and look-ups say the same', async () => {
    const before = await readAll();
    await makeOld(old);
    expect(await readAll()).toEqual(before);
    expect(before).toMatchObject([3, expect.anything(), { length: 6 }, { length: 6 }]);
  });

  it('an erasure takes the plate from every call', async () => {
    await makeOld(old);
    expect((await exportOf(service, PLATE)).calls).not.toEqual([]);
    const { calls } = await exportOf(service, PLATE);
    expect(await eraseAll(service, PLATE)).toMatchObject({ calls: (calls as unknown[]).length });
    const kept = await textsOfAllTables();
    expect(kept.filter(([, text]) => spells(text, PLATE))).toEqual([]);
    expect((await exportOf(service, PLATE)).calls).toEqual([]);
  });
});
