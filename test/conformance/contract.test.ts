import { beforeAll, describe, expect, it, vi } from 'vitest';
import { expectInContract, type Received } from '../support/contract.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { ADMIN, Service } from '../support/service.ts';
import { beginWorld, NOW } from '../tenancy/world.ts';

/**
 * What the tests rest on that hold every answer to the description: nothing may stand in an answer, at any depth, that the
 * description does not have.
 */

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
/** Bodies of the client's, which the call log gives back as they were. */
const ANYTHING = [/^\/call\/(request|response)(\/|$)/];

const service = new Service();
let credential: TestCredential;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  await beginWorld('nobody');
  credential = await issueCredential({}, [2]);
  return () => vi.useRealTimers();
});

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly contentType?: string;
}

async function receive({
  path,
  method = 'POST',
  body,
  contentType = 'application/json',
}: Asked): Promise<Received> {
  const headers = { 'Content-Type': contentType, ...(path.includes('/admin/') ? ADMIN : credential.headers) };
  const request = new Request(`https://parking.test${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const { status, headers: answered, text, settled } = await service.send(request);
  await settled();
  return { method, path, status, headers: answered, text };
}

/** Where there is an object in a value, as JSON pointers. */
function objectsIn(value: unknown, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([name, item]) => objectsIn(item, `${pointer}/${name}`));
  return Array.isArray(value) ? below : [pointer, ...below];
}

/** The text with a property more in the object that the pointer leads to. */
function withOneMore(text: string, pointer: string): string {
  const whole: unknown = JSON.parse(text);
  const steps = pointer.split('/').slice(1);
  const object = steps.reduce((node, step) => Reflect.get(Object(node), step), whole);
  Reflect.set(Object(object), 'holder', 'Mario Rossi');
  return JSON.stringify(whole);
}

const at = new Date(NOW - 3_600_000).toISOString();

describe('The contract refuses a property that is not described, wherever it stands, in the answer to', () => {
  it.each<[string, Asked, depth: number]>([
    ['a plate check', { path: CHECK, body: '{"plate":"AB123CD","area_code":"P1"}' }, 5],
    ['a plate check without an area', { path: CHECK, body: '{"plate":"AB123CD"}' }, 3],
    ['V1', { path: '/api/v1/parking/check-plate', body: '{"plate":"AB123CD"}' }, 4],
    ['an options query', { path: OPTIONS, body: '{"plate":"AB123CD"}' }, 3],
    ['a report', { path: '/api/v2/parking/reports/active-by-area', body: '{"source_id":21}' }, 9],
    [
      'an import',
      {
        path: '/api/v2/imports/sessions?source_code=app1',
        body: '{}\nx',
        contentType: 'application/x-ndjson',
      },
      3,
    ],
    [
      'a credential’s issue',
      {
        path: '/api/v2/admin/credentials',
        body: `{"tenant":"acme","name":"n","scopes":["report"],"municipalities":["A2"],"expires_at":"${at}"}`,
      },
      2,
    ],
    ['the credentials’ list', { path: '/api/v2/admin/credentials', method: 'GET' }, 3],
    ['a configuration', { path: '/api/v2/admin/configuration?municipality_code=A2', method: 'GET' }, 11],
    ['health', { path: '/health', method: 'GET' }, 1],
    ['a request with fields that are wrong', { path: CHECK, body: '{"checked_at":"x"}' }, 5],
    ['an unknown path', { path: '/nothing', method: 'GET' }, 2],
  ])('%s', async (_, asked, objects) => {
    await expectAllRefused(await receive(asked), objects);
  });

  it('the look-up of a call', async () => {
    const { text } = await receive({ path: OPTIONS, body: '{"plate":"AB123CD"}' });
    const { request_id: id } = JSON.parse(text) as { request_id: string };
    await expectAllRefused(await receive({ path: `/api/v2/admin/calls/${id}`, method: 'GET' }), 2);
  });
});

/** @param objects how many there are at least, so that the answer is one that holds something */
async function expectAllRefused(received: Received, objects: number): Promise<void> {
  const pointers = objectsIn(JSON.parse(received.text)).filter(
    (pointer) => !ANYTHING.some((free) => free.test(pointer)),
  );
  expect(pointers.length, received.text).toBeGreaterThanOrEqual(objects);
  for (const pointer of pointers) {
    const spoilt = { ...received, text: withOneMore(received.text, pointer) };
    expect(() => expectInContract(spoilt), pointer).toThrow('holder');
  }
}

describe('The contract refuses a code that the description does not know', () => {
  it('in the warnings of a plate check, though clients have to take it', async () => {
    const received = await receive({ path: CHECK, body: '{"plate":"AB123CD"}' });
    const warnedOf = (code: string): Received => {
      const warnings = [{ code, message: 'x' }];
      return { ...received, text: JSON.stringify({ ...JSON.parse(received.text), warnings }) };
    };
    expectInContract(warnedOf('AREA_CODE_REQUIRED'));
    expect(() => expectInContract(warnedOf('UNDESCRIBED'))).toThrow('UNDESCRIBED');
  });
});

describe('The contract refuses an instant whose fraction has not exactly three digits, in the answer to', () => {
  const ISSUE = `{"tenant":"acme","name":"n","scopes":["report"],"municipalities":["A2"],"expires_at":"${at}"}`;

  it.each<[string, Asked, instants: number]>([
    ['a plate check', { path: CHECK, body: '{"plate":"AB123CD"}' }, 3],
    ['V1', { path: '/api/v1/parking/check-plate', body: '{"plate":"AB123CD"}' }, 3],
    ['an options query', { path: OPTIONS, body: '{"plate":"AB123CD"}' }, 1],
    ['a report', { path: '/api/v2/parking/reports/active-by-area', body: '{}' }, 4],
    ['a credential’s issue', { path: '/api/v2/admin/credentials', body: ISSUE }, 2],
    ['the credentials’ list', { path: '/api/v2/admin/credentials', method: 'GET' }, 2],
  ])('%s', async (_, asked, instants) => {
    expectInstantsHeld(await receive(asked), instants);
  });

  it('the look-up of a call', async () => {
    const { headers } = await receive({ path: CHECK, body: '{"plate":"AB123CD"}' });
    const path = `/api/v2/admin/calls/${headers.get('X-Request-Id')}`;
    expectInstantsHeld(await receive({ path, method: 'GET' }), 1);
  });
});

const INSTANT = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)"/g;

/** @param least how many instants the answer has at least */
function expectInstantsHeld(received: Received, least: number): void {
  const { text } = received;
  const instants = [...text.matchAll(INSTANT)];
  expect(instants.length, text).toBeGreaterThanOrEqual(least);
  for (const { 0: whole, 1: seconds, 2: offset, index } of instants) {
    const withFraction = (fraction: string): Received => ({
      ...received,
      text: `${text.slice(0, index)}"${seconds}${fraction}${offset}"${text.slice(index + whole.length)}`,
    });
    for (const right of ['', '.290']) expectInContract(withFraction(right));
    for (const wrong of ['.2', '.29', '.2901', '.290000000']) {
      expect(() => expectInContract(withFraction(wrong)), `${seconds}${wrong}`).toThrow('pattern');
    }
  }
}
