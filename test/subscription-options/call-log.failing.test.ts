import { describe, expect, it, vi } from 'vitest';
import { never } from '../support/afterwards.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';
import { NOW, PATH } from './support.ts';

const { city, rows, onlyRow, post, loggedOffer } = optionsLog();

describe('When the call log fails, the meter gets its answer', () => {
  const sent = { plate: 'ACTIVE', terminal_code: 'T-1' };

  /** A database whose reading works, and whose writing does what the test says, try by try. */
  function writing(...tries: ('fails' | 'hangs')[]) {
    const hanging = Promise.withResolvers<void>();
    let count = 0;
    const DB = databaseDouble({
      around: (run, sql) => {
        const planned = writesCallLog(sql) ? tries[count++] : undefined;
        if (planned === 'fails') return Promise.reject(new Error('D1 is away'));
        if (planned === undefined) return run();
        hanging.resolve();
        return never();
      },
    });
    return { DB, count: () => count, hanging: hanging.promise };
  }
  /** Lets so much time pass from where the call hangs, if it does; and no more until it is answered. */
  async function answerWithin(
    milliseconds: number,
    { DB, hanging }: { DB: D1Database; hanging: Promise<void> },
  ) {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: NOW });
    const answer = post(sent, {}, new Service({ DB }));
    await Promise.race([answer, hanging]);
    await vi.advanceTimersByTimeAsync(milliseconds);
    return answer;
  }
  const lostLines = (error: { mock: { calls: unknown[][] } }) =>
    error.mock.calls.map(([line]) => JSON.parse(String(line)));

  it.each([
    ['fails once', 'fails', 0],
    ['hangs for a second', 'hangs', 1_000],
  ] as const)('and its row where it %s: it is tried twice', async (_, first, ms) => {
    const error = vi.spyOn(console, 'error');
    const { count, ...database } = writing(first);
    const answer = await answerWithin(ms, database);
    expect(answer.body.result_code).toBe('OPTIONS_AVAILABLE');
    expect(count()).toBe(2);
    expect((await onlyRow()).request).toBe(JSON.stringify(sent));
    expect(error).not.toHaveBeenCalled();
  });

  it('and the structured log the whole call, within two seconds, where it hangs for good', async () => {
    const error = vi.spyOn(console, 'error');
    const { count, ...database } = writing('hangs', 'hangs');
    const answer = await answerWithin(2_000, database);
    expect(answer.status).toBe(200);
    expect(count()).toBe(2);
    expect(await rows()).toEqual([]);
    // Who looked is in no log line.
    const { officer_reference: __, ...call } = loggedOffer();
    expect(lostLines(error)).toEqual([
      {
        event: 'call_log_lost',
        request_id: answer.body.request_id,
        ...call,
        request: JSON.stringify(sent),
        response: JSON.stringify(answer.body),
        message: expect.any(String),
      },
    ]);
  });

  it('also where the answer is a failure that took all of its time', async () => {
    const error = vi.spyOn(console, 'error');
    const hanging = Promise.withResolvers<void>();
    const around = () => {
      hanging.resolve();
      return never();
    };
    const DB = databaseDouble({ around });
    const answer = await answerWithin(2_000, { DB, hanging: hanging.promise });
    expect(answer.body.error).toMatchObject({ code: 'TEMPORARY_ERROR' });
    expect(lostLines(error).map(({ event, outcome }) => [event, outcome])).toContainEqual([
      'call_log_lost',
      'TEMPORARY_ERROR',
    ]);
  });
});

/** A request whose body never ends. */
function endless(contentType: string): Request {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"plate":')),
  });
  const headers = { ...city.headers, 'Content-Type': contentType, 'CF-Connecting-IP': '203.0.113.7' };
  return new Request(`https://parking.test${PATH}`, { method: 'POST', headers, body });
}

it('A body that does not end delays no refusal: its row has no request', async () => {
  const { status, settled } = await new Service().send(endless('text/plain'));
  expect(status).toBe(415);
  await settled();
  expect(await onlyRow()).toMatchObject({ http_status: 415, request: null });
});
