import { createScheduledController, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import worker from '../../src/worker.ts';
import { Random } from '../domain/random.ts';
import { CREDENTIAL_OPERATIONS } from '../suites/operations.ts';
import { CALLERS_SCOPES, issueCredential, type TestCredential } from '../support/credential.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { ADMIN, Service } from '../support/service.ts';
import { collectedAt, type Outcome, plannedCalls, settleCall } from './calls.ts';
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

const SWITCHED_OFF = 'its own, switched off';
/** What credentials of the first tenant may not name, each for another reason. */
const FORBIDDEN = {
  unknown: 'NONE',
  'another tenant’s': 'B1',
  'another tenant’s, switched off': 'B2',
  'its own tenant’s, but not its own': OWN[2],
  [SWITCHED_OFF]: OWN[3],
};

/** What a refusal tells. That its own is switched off, the database alone says: that may cost more. */
function told(reason: string, refusal: Outcome): object {
  const { cost, ...answer } = withoutSnapshots(refusal);
  return reason === SWITCHED_OFF ? answer : { ...answer, cost };
}

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
    // The calls are worth to be compared: of every kind of answer there are some.
    const isConflict = ({ status, text }: Outcome) => status === 409 && text.includes('PAYMENT_CONFLICT');
    // Not every seed sends another payment under an id that was taken.
    const statuses = new Set(
      alone.outcomes.filter((outcome) => !isConflict(outcome)).map(({ status }) => status),
    );
    expect([...statuses].sort()).toEqual([200, 403, 404, 422, 429]);
  }, 300_000);

  it.each(CREDENTIAL_OPERATIONS.filter(({ scope }) => scope !== null))(
    'to the operation $name say one thing of all that they may not name',
    async (operation) => {
      await beginWorld('a neighbour');
      const service = new Service();
      const refusals = new Map<string, Outcome>();
      for (const [reason, code] of Object.entries(FORBIDDEN)) {
        const credential = await issueCredential({}, [1, 3]);
        const [pathAlone = ''] = operation.path.split('?');
        const inQuery = operation.contentType !== 'application/json';
        const call = {
          ...{ operation, by: 0, language: 'en' },
          path: inQuery ? `${pathAlone}?source_code=app1&municipality_code=${code}` : operation.path,
          body: inQuery
            ? ''
            : JSON.stringify({
                ...JSON.parse(operation.body),
                ...(operation.scope === 'evidence' && { at: new Date(NOW).toISOString() }),
                ...(operation.scope === 'subscription_payments' && collectedAt(operation.path, NOW)),
                municipality_code: code,
              }),
        };
        refusals.set(reason, await settleCall(service, call, credential));
      }
      const unknown = withoutSnapshots(refusals.get('unknown') ?? expect.fail());
      expect([unknown.status, unknown.text]).toEqual([
        403,
        expect.stringContaining('MUNICIPALITY_NOT_ALLOWED'),
      ]);
      for (const [reason, refusal] of refusals) expect(unknown, reason).toMatchObject(told(reason, refusal));
    },
  );

  it('neither find a source of another tenant nor tell it from one that is not there', async () => {
    await beginWorld('a neighbour');
    const operation = CREDENTIAL_OPERATIONS.find(({ scope }) => scope === 'report') ?? expect.fail();
    const outcomes: Outcome[] = [];
    for (const source of [999, 211, 21]) {
      const credential = await issueCredential({}, [1]);
      const body = JSON.stringify({ source_id: source });
      outcomes.push(
        await settleCall(
          new Service(),
          { operation, by: 0, language: 'en', path: operation.path, body },
          credential,
        ),
      );
    }
    expect(outcomes[0]?.text).toContain('SOURCE_NOT_FOUND');
    expect(outcomes.slice(1)).toEqual([outcomes[0], outcomes[0]]);
  });
});

describe('The administrator, who may see all, reads of a tenant', () => {
  const ask = async (service: Service, path: string, body?: object) => {
    const answer = await service.call(path, {
      headers: ADMIN,
      ...(body !== undefined && { method: 'POST', body }),
    });
    return JSON.stringify(answer.body).replace(String(answer.body.request_id), 'ID');
  };
  const CREDENTIAL = { tenant: 'acme', name: 'x', scopes: ['report'] };

  it('what he would read if no other were there', async () => {
    const outcomes = [];
    for (const neighbour of NEIGHBOUR_NAMES) {
      await beginWorld(neighbour);
      const service = new Service();
      outcomes.push([
        await ask(service, '/api/v2/admin/configuration?municipality_code=A1'),
        await ask(service, '/api/v2/admin/credentials?municipality_code=A1'),
        await ask(service, '/api/v2/admin/credentials', {
          ...CREDENTIAL,
          municipalities: ['B1', 'NONE', 'A1'],
        }),
        await ask(service, '/api/v2/admin/credentials', {
          ...{ ...CREDENTIAL, municipalities: ['A1'] },
          source_code: 'none',
        }),
      ]);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
    expect(outcomes[0]?.[2]).toContain('municipalities.0');
  });
});
