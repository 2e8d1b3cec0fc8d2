import { expect, it, vi } from 'vitest';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';

const { credential, onlyRow } = optionsLog();
const PATH = '/api/v2/parking-meters/subscription-options';

/** A request whose body never ends. */
function endless(contentType: string): Request {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"plate":')),
  });
  const headers = { ...credential().headers, 'Content-Type': contentType, 'CF-Connecting-IP': '203.0.113.7' };
  return new Request(`https://parking.test${PATH}`, { method: 'POST', headers, body });
}

it('A body that does not end delays no refusal: its row has no request', async () => {
  const { status, settled } = await new Service().send(endless('text/plain'));
  expect(status).toBe(415);
  await settled();
  expect(await onlyRow()).toMatchObject({ http_status: 415, request: null });
});

it('A handler that fails after its deadline does not change the answer that was logged', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const read = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const DB = databaseDouble({
    around: async (run, sql) => {
      if (writesCallLog(sql)) {
        writing.resolve();
        await written.promise;
        return run();
      }
      reading.resolve();
      await read.promise;
      throw new Error('the database is away');
    },
  });
  const answer = new Service({ DB }).post(
    PATH,
    { plate: 'ACTIVE', municipality_code: 'H501' },
    credential().headers,
  );
  await reading.promise;
  await vi.advanceTimersByTimeAsync(2_000);
  await writing.promise;
  read.resolve();
  await Promise.resolve();
  written.resolve();
  vi.useRealTimers();
  const { status, body } = await answer;
  expect(status).toBe(500);
  expect((await onlyRow()).response).toContain(String(body.request_id));
});
