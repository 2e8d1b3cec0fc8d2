import { beforeAll, describe, it } from 'vitest';
import { never } from '../support/afterwards.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { lateDatabase, noSnapshots } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { expectRefusal } from './envelope.ts';
import { OPERATIONS } from './operations.ts';

const queries = OPERATIONS.flatMap(({ deadlineMs, ...operation }) =>
  deadlineMs === undefined ? [] : [{ ...operation, deadlineMs }],
);
let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});

// They wait side by side: one after the other they would take half a minute.
describe.concurrent.each(queries)('The operation $name', ({ path, contentType, body, deadlineMs }) => {
  const send = (service: Service, sent: unknown) => {
    const headers = { ...credential.headers, 'Content-Type': contentType };
    return service.call(path, { method: 'POST', body: sent, headers });
  };

  it('answers 500 when the database answers after the deadline', async () => {
    const late = new Service({ DB: lateDatabase(deadlineMs + 500), SNAPSHOTS: noSnapshots() });
    expectRefusal(await send(late, body), 500, 'TEMPORARY_ERROR');
  }, 10_000);

  it('answers 500 when the body does not come to its end', async () => {
    const stalled = new ReadableStream({ pull: never });
    expectRefusal(await send(new Service(), stalled), 500, 'TEMPORARY_ERROR');
  }, 10_000);
});
