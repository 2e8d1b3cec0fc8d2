import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectRefusal } from '../conformance/envelope.ts';
import { issueCredential } from '../support/credential.ts';
import { someOf } from '../support/run-form.ts';
import { ROME, seed, TENANT } from '../support/seed.ts';
import type { Answer } from '../support/service.ts';
import { Breakable } from './breakable.ts';
import { EXAMPLES, expectRight, prepareExamples, send } from './calls.ts';

const OTHER = { ...TENANT, id: 2, code: 'other' };
const MILAN = { ...ROME, id: 2, tenantId: OTHER.id, code: 'F205' };

beforeAll(async () => {
  await prepareExamples();
  await seed({ tenants: [OTHER], municipalities: [MILAN] });
});

const IMPORTS = someOf(
  EXAMPLES.filter(({ name }) => /import/i.test(name)).map((example) => [example.name, example] as const),
  1,
);
/** From its first byte on. */
const STRETCH_MS = 10_000;
const ARRIVAL_MS = 60_000;
/** The next body really arrives while the others stall: time must not leap ahead of it on a busy machine. */
const PATIENT_TURNS = 200;

const expectTooSlow = (answer: Answer) => expectRefusal(answer, 408, 'REQUEST_TIMEOUT');

describe.each(IMPORTS)('%s,', (name, example) => {
  /** A call of a new credential; of the other tenant its municipality does not know the source: a 404 says that it was read. */
  const callOf = async (tenant: typeof TENANT) => {
    const { headers } = await issueCredential({ tenantId: tenant.id }, [tenant.id]);
    const call = await example.next();
    return { ...call, headers: { ...call.headers, ...headers } };
  };

  it.each([
    ['stops after its first byte', '\n', STRETCH_MS],
    ['never begins', '', ARRIVAL_MS],
  ])('refuses a body that %s, and stores nothing', async (_, first, expectedMs) => {
    const isolate = new Breakable();
    const call = await example.next();
    const { answer, afterMs } = await isolate.byFakeTimers(() =>
      send({ ...call, body: isolate.stalledBody(first) }, isolate.service),
    );
    expectTooSlow(answer);
    expect(answer.headers.get('RateLimit')).not.toBeNull();
    expect(afterMs).toBe(expectedMs);
    const recorded = await env.DB.prepare('select last_outcome from source_imports where last_request_id = ?')
      .bind(answer.headers.get('X-Request-Id'))
      .first('last_outcome');
    expect(recorded).toBe(name === 'importSessions' ? 'failed' : null);
  });

  it('waits behind a body of its own credential, and is taken once that is given up', async () => {
    const isolate = new Breakable();
    const [stalled, next] = [await example.next(), await example.next()];
    const { answer, afterMs } = await isolate.byFakeTimers(async () => {
      const before = send({ ...stalled, body: isolate.stalledBody('\n') }, isolate.service);
      const taken = await send(next, isolate.service);
      expectTooSlow(await before);
      return taken;
    }, PATIENT_TURNS);
    expectRight(example, answer);
    expect(afterMs).toBe(STRETCH_MS);
  });

  it('waits behind two bodies of its tenant, while another tenant’s is read at once', async () => {
    const isolate = new Breakable();
    const [first, second, third] = [await callOf(TENANT), await callOf(TENANT), await callOf(TENANT)];
    const others = await callOf(OTHER);
    const { answer, afterMs } = await isolate.byFakeTimers(async () => {
      const startedAt = performance.now();
      const before = [first, second].map((call) =>
        send({ ...call, body: isolate.stalledBody('\n') }, isolate.service),
      );
      const waiting = send(third, isolate.service);
      const meanwhile = await send(others, isolate.service);
      expect([meanwhile.status, performance.now() - startedAt]).toEqual([
        name === 'importSessions' ? 404 : 200,
        0,
      ]);
      for (const refused of await Promise.all(before)) expectTooSlow(refused);
      return waiting;
    }, PATIENT_TURNS);
    expectRight(example, answer);
    expect(afterMs).toBe(STRETCH_MS);
  });
});
