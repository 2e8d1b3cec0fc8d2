import { beforeAll, describe, expect, it } from 'vitest';
import { createGate } from '../../clients/client/gate/index.ts';
import { type Client, createClient } from '../../clients/client/index.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const service = new Service();

/** The service itself, where the client would use the network. */
const inProcess: typeof fetch = async (input, init) => {
  const { pathname, search } = new URL(String(input));
  const answer = await service.settle(pathname + search, {
    method: init?.method ?? 'GET',
    headers: { ...(init?.headers as Record<string, string>) },
    ...(init?.body !== undefined && init.body !== null && { body: await new Response(init.body).text() }),
  });
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers });
};

let credential: TestCredential;
let client: Client;
beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
  client = createClient({
    baseUrl: 'https://parking.test',
    token: credential.accessToken,
    fetch: inProcess,
    budgetMs: 20_000,
  });
});

describe('In a Worker', () => {
  it('the client calls', async () => {
    const checked = await client.checkPlate({ plate: 'AB 123 CD', area_code: 'P1', event: 'entry' });
    expect(checked).toMatchObject({ ok: true, answer: { plate: 'AB123CD', access_granted: false } });
  });

  it('the client imports a stream', async () => {
    const bytes = new Blob(['{"session_id":"S1"}\n']).stream();
    expect(await client.importSessions({ bytes }, { source_code: 'app1' })).toMatchObject({
      ok: true,
      answer: { received: 1, rejected: 1 },
    });
  });

  it('a gate decides', async () => {
    const gate = createGate({
      ...{ baseUrl: 'https://parking.test', token: credential.accessToken, areaCode: 'P1' },
      ...{ whenUnknown: 'ask_attendant', askWithinMs: 20_000, inBackground: false, fetch: inProcess },
    });
    expect(await gate.decide('AB 123 CD', 'entry')).toMatchObject({
      action: 'stay_shut',
      basis: 'service',
    });
    await gate.close();
  });
});
