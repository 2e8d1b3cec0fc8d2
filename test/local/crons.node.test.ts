import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { configuredCrons, fireCrons } from '../../tools/local/crons.ts';

const EVERY_SECOND = '* * * * * *';

describe('The crons', () => {
  let stop = () => {};
  afterEach(() => {
    stop();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  /** Fires into a service that gives one answer, and tells what it was asked. */
  async function fireInto(status: number): Promise<string[]> {
    const asked: string[] = [];
    const server: Server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(status).end('exception');
    });
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const jobs = fireCrons(`http://127.0.0.1:${port}`, [EVERY_SECOND]);
    stop = () => {
      for (const job of jobs) job.stop();
      server.close();
    };
    // Seconds pass until it has been asked twice.
    while (asked.length < 2) {
      await vi.advanceTimersByTimeAsync(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    vi.useRealTimers();
    return asked;
  }

  it('are those of the Worker', async () => {
    const crons = await configuredCrons();
    const toml = readFileSync('wrangler.toml', 'utf8');
    expect(crons.length).toBeGreaterThan(0);
    for (const cron of crons) expect(toml).toContain(JSON.stringify(cron));
  });

  it('come to the service on their schedule, each by its own expression', async () => {
    const asked = await fireInto(200);
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    const url = new URL(asked[0] ?? '', 'http://localhost');
    expect(url.pathname).toBe('/cdn-cgi/handler/scheduled');
    expect(url.searchParams.get('cron')).toBe(EVERY_SECOND);
  });

  it('that fail are logged, and come again', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const asked = await fireInto(500);
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    const [line] = log.mock.calls[0] ?? [];
    expect(JSON.parse(String(line))).toEqual({
      event: 'cron_failed',
      cron: EVERY_SECOND,
      message: '500 exception',
    });
  });
});
