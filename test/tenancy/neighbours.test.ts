import { createScheduledController, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import worker from '../../src/worker.ts';
import { Caller } from '../conformance/caller.ts';
import { Random } from '../domain/random.ts';
import { CREDENTIAL_OPERATIONS } from '../suites/operations.ts';
import { CALLERS_SCOPES, issueCredential, type TestCredential } from '../support/credential.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { type Outcome, plannedCalls, settleCall } from './calls.ts';
import { beginWorld, NEIGHBOUR_NAMES, type Neighbour, NOW, neighbourState, OWN, ownState } from './world.ts';

const CALLS = shortOrThorough(80, 300);
const CREDENTIALS = 12;
/** A credential's object that is not asked for ten seconds sleeps, and wakes with less of its budget. */
const MAX_IDLE_MS = 3_000;
const MINUTE = '* * * * *';
/** What another tenant's calls would change of its own. */
const WRITES: readonly unknown[] = ['import', 'subscription_payments'];

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

/** Credentials of the first tenant, the same ones each time but for their secrets. */
async function credentialsOf(seed: number): Promise<TestCredential[]> {
  const random = new Random(seed);
  const issued: TestCredential[] = [];
  for (let index = 0; index < CREDENTIALS; index += 1) {
    const some = <Item>(items: readonly Item[]) => items.filter(() => !random.oneIn(3));
    const scopes = random.oneIn(4) ? some(CALLERS_SCOPES) : CALLERS_SCOPES;
    // A third of them soon has nothing left.
    const rateLimit = index % 3 === 0 ? 3 : 10_000;
    issued.push(await issueCredential({ scopes, rateLimit }, some(Object.keys(OWN).map(Number))));
  }
  return issued;
}

/** On a busy machine the calls of a credential are far apart. */
const keepAwake = (credentials: readonly TestCredential[]) =>
  Promise.all(
    credentials.map(({ credentialId }) =>
      runInDurableObject(env.CREDENTIALS.getByName(credentialId), () => {}),
    ),
  );

/** All that the first tenant gets to hear in its world, and what its calls leave there. */
async function lifeWith(neighbour: Neighbour): Promise<{ outcomes: Outcome[]; state: unknown }> {
  await beginWorld(neighbour);
  const credentials = await credentialsOf(RUN_SEED);
  const theirs =
    neighbour === 'a neighbour' ? await issueCredential({ tenantId: 2 }, [21, 22, 23]) : undefined;
  const untouched = await neighbourState();
  const service = new Service();
  const outcomes: Outcome[] = [];
  let awakeAt = performance.now();
  for (const [index, call] of plannedCalls(RUN_SEED, CALLS, CREDENTIALS).entries()) {
    if (performance.now() - awakeAt > MAX_IDLE_MS) {
      await keepAwake(credentials);
      awakeAt = performance.now();
    }
    const credential = credentials[call.by] ?? expect.fail('there is no such credential');
    outcomes.push(await settleCall(service, call, credential));
    if (theirs !== undefined && !WRITES.includes(call.operation.scope))
      await settleCall(service, call, theirs);
    // From the middle on there are snapshots of the minute.
    if (index === CALLS / 2) await worker.scheduled(createScheduledController({ cron: MINUTE }), env);
  }
  // All that was begun during a refusal has ended.
  await scheduler.wait(100);
  expect(await neighbourState()).toEqual(untouched);
  return { outcomes, state: await ownState() };
}

/** The snapshots of its own are looked at also for a municipality that is switched off: of no other. */
const withoutSnapshots = ({ cost: { kvCalls: _, ...cost }, ...outcome }: Outcome) => ({ ...outcome, cost });

/** A refused report has looked for a snapshot by the code that it names; nobody has waited for what was there. */
const comparable = (outcome: Outcome): object =>
  [403, 429].includes(outcome.status) ? withoutSnapshots(outcome) : outcome;

describe(`A tenant’s calls (TEST_SEED=${RUN_SEED})`, () => {
  it('are answered to the byte, and at the same cost, as if no other tenant were there', async () => {
    const alone = await lifeWith('nobody');
    for (const neighbour of NEIGHBOUR_NAMES.slice(1)) {
      const life = await lifeWith(neighbour);
      for (const [index, outcome] of life.outcomes.entries()) {
        expect(comparable(outcome), `call ${index} next to ${neighbour}`).toEqual(
          comparable(alone.outcomes[index] ?? expect.fail()),
        );
      }
      expect(life.state, neighbour).toEqual(alone.state);
    }
    // The calls are worth to be compared: of each kind of answer there are some, if not of each by every seed.
    const statuses = new Set(alone.outcomes.map(({ status }) => status));
    expect([...statuses].filter((status) => ![404, 409].includes(status)).sort()).toEqual([
      200, 403, 422, 429,
    ]);
  }, 300_000);
});

describe('A refusal', () => {
  beforeAll(() => void vi.useRealTimers());

  it.each(CREDENTIAL_OPERATIONS.filter(({ scope }) => scope !== null))(
    'by $name says one thing of all that may not be named',
    async (operation) => {
      await beginWorld('a neighbour');
      const caller = new Caller(operation);
      const { headers } = await caller.issue({}, [1, 3]);
      const told: unknown[] = [];
      // Unknown, another tenant's, that one switched off, the own tenant's, the own one switched off.
      for (const code of ['NONE', 'B1', 'B2', OWN[2], OWN[3]]) {
        const { status, body } = await caller.sendTo(code, headers);
        told.push({ status, error: body.error });
      }
      expect(told[0]).toMatchObject({ status: 403, error: { code: 'MUNICIPALITY_NOT_ALLOWED' } });
      expect(told).toEqual(Array(5).fill(told[0]));
    },
  );
});
