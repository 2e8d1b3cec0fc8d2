import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Desk, type Done, type How } from './office.ts';

/** A title, a colour that the command does not use, a line of its own, and text that is turned round. */
const HOSTILE = '\x1b]0;title\x07\x1b[35m\x9b2J\r\nparking: all is well\t\u202ednif\u2066\x7f';
const NAMED = { code: HOSTILE, name: HOSTILE };
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
/** The command clears a line of progress. */
const OWN = '\x1b[1G\x1b[2K';

/** One answer in which each of the commands below finds what it prints. */
const ANSWER = {
  ...{ success: true, ok: true, request_id: HOSTILE, version: HOSTILE, next: null, next_after: null },
  ...{ configuration: { [HOSTILE]: HOSTILE }, credentials: [NAMED], [HOSTILE]: [HOSTILE] },
  changes: [{ path: HOSTILE, property: null, from: HOSTILE, to: NAMED }],
  ...{ received: 1, created: 1, updated: 1, unchanged: 1, rejected: 1, erased: { [HOSTILE]: 1 } },
  errors: [{ line: 1, code: HOSTILE, message: HOSTILE }],
  ...{ sessions: [NAMED], subscriptions: [], payments: [], history: [], calls: [], tariffe: [[HOSTILE]] },
  ...{ municipality: NAMED, checked_at: HOSTILE, rows: [{ area: NAMED, [HOSTILE]: 1 }], capacity_totals: {} },
  ...{ sources: [{ id: 1, ...NAMED }], source_freshness: [{ source_id: 1, status: HOSTILE }] },
};
const message = `no ${HOSTILE}`;
const error = { code: `CODE${HOSTILE}`, message, details: { issues: [{ path: HOSTILE, message }] } };
const REFUSAL = { success: false, ok: false, request_id: HOSTILE, error };

let desk: Desk;
let server: Server;
let url = '';
let isRefused = false;
beforeAll(async () => {
  desk = new Desk();
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(isRefused ? 422 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isRefused ? REFUSAL : ANSWER));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  desk.leave();
  server.close();
});

const OPERATORS = ['check', 'report', 'options', 'import'];
const run = (args: readonly string[], how: How = {}): Promise<Done> => {
  const PARKING_TOKEN = OPERATORS.includes(args[0] ?? '') ? `pev_at_${'0'.repeat(60)}` : 'administrator';
  return desk.run(args, { ...how, environment: { PARKING_URL: url, PARKING_TOKEN, ...how.environment } });
};
const wordsOf = (command: string) => command.split(' ').map((word) => (word === 'HOSTILE' ? HOSTILE : word));

function expectHarmless({ out, err }: Done): void {
  for (const printed of [out, err]) {
    for (const line of printed.replaceAll(OWN, '').split('\n')) {
      expect(STEERING.exec(line), JSON.stringify(line)).toBeNull();
      // No text from elsewhere begins a line of its own.
      expect(line).not.toMatch(/^\s*parking: all is well/);
    }
  }
}

describe('What a service answers never steers the terminal:', () => {
  it.each([
    'status',
    'report',
    'options AB123CD -m H501',
    'credential list',
    'config get H501',
    // A document is judged by the service: any will do.
    'config diff package.json',
    'plate export AB123CD --tenant acme',
    'plate erase HOSTILE --tenant HOSTILE --yes',
    'import sessions - --source app1',
  ])('parking %s', async (command) => {
    const words = wordsOf(command);
    const input = 'AB123CD\n';
    for (isRefused of [false, true]) {
      expectHarmless(await run(words, { input, columns: 60 }));
      const json = await run([...words, '--json'], { input });
      expectHarmless(json);
      // Otherwise it has printed nothing of the answer.
      expect(json.err).not.toMatch(/NOT_OUR_ANSWER|this is a bug/);
      if (json.out !== '') expect(() => JSON.parse(json.out)).not.toThrow();
    }
  });
});

describe('What a file, its name or an argument holds never steers the terminal:', () => {
  const importing = (file: string, ...more: readonly string[]): string[] => [
    ...['import', 'sessions', file, '--dry-run', '--timezone', 'Europe/Rome', ...more],
  ];

  it('tables, their titles and rejected rows', async () => {
    isRefused = false;
    const titles = 'session_id;plate;area_code;starts_at';
    const latin = Buffer.from(`${titles}\n1;A;Città;2026-03-07 10:00\n`, 'latin1');
    const done = await run(importing(desk.write(`${HOSTILE}.csv`, latin)));
    expect(done.err).toContain('<U+001B>]0;title<U+0007>');
    expectHarmless(done);
    const cell = `"${HOSTILE}"`;
    const file = desk.write('hostile.csv', `${titles};${cell}\n${cell};${cell};${cell};${cell};${cell}\n`);
    for (const more of [[], ['--map', `plate=${HOSTILE}`], ['--map', HOSTILE], ['--timezone', HOSTILE]]) {
      expectHarmless(await run(importing(file, ...more)));
    }
    for (const name of [`${HOSTILE}.xlsx`, `${HOSTILE}.none`]) {
      expectHarmless(await run(importing(desk.write(name, HOSTILE))));
    }
  });

  it('documents and arguments', async () => {
    const yaml = desk.write(`${HOSTILE}.yaml`, `municipalities: "${HOSTILE}`);
    for (const args of [
      ['config', 'put', yaml, '--yes'],
      ['import', 'sessions', 'x.csv', '--mapping', yaml],
      ['restore', yaml, '--yes'],
      ...['HOSTILE', 'check A --at HOSTILE', 'check A --profile HOSTILE', 'help HOSTILE'].map(wordsOf),
      [`--${HOSTILE}`],
    ]) {
      expectHarmless(await run(args));
      expectHarmless(await run([...args, '--json']));
    }
    expectHarmless(await run(['status'], { environment: { PARKING_URL: `http://${HOSTILE}/` } }));
  });

  it('a command that is advised: a backup that somebody has changed is quoted for the shell', async () => {
    const code = "H501'; touch x; '\u202e$(id)";
    const header = {
      ...{ type: 'backup', format: 1, backup_id: 'b', part: 1, tenant: 'acme', after: null },
      ...{ municipality_code: code, begun_at: '2026-03-07T10:00:00Z' },
    };
    const lines = [header, { type: 'part', after: 'x', more: false }].map((line) => JSON.stringify(line));
    const file = desk.write('tampered.gz', gzipSync(`${lines.join('\n')}\n`));
    const done = await run(['restore', file, '--yes', '--tenant', 'acme'], {
      environment: { PARKING_URL: 'http://127.0.0.1:9', PARKING_PART_SECONDS: '1' },
    });
    expect(done.err.replace(/\s+/g, ' ')).toContain(
      `\`parking restore --discard 'H501'\\''; touch x; '\\''<U+202E>$(id)'\` throws it away`,
    );
    expectHarmless(done);
  });
});
