import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { source } from '../architecture/source.ts';
import { Desk, type Done, type How } from './office.ts';

/** A title, a colour that the command does not use, a line of its own, and text that is turned round. */
const HOSTILE = '\x1b]0;title\x07\x1b[35m\x9b2J\r\nparking: all is well\t\u202ednif\u2066\x7f';
/** In the name of a file, which holds neither a slash nor a zero. */
const NAME = `${HOSTILE}.csv`;
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
let desk: Desk;
let server: Server;
let url = '';
beforeAll(async () => {
  desk = new Desk();
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  desk.leave();
  server.close();
});

/** What a hostile service answers: its description's own examples, with names, codes and messages that steer. */
const examples = examplesIn(JSON.parse(source('src/serving/openapi/openapi.json')));
let refusal: object | null = null;

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}
interface DescribedOperation {
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}
interface Content {
  readonly example?: unknown;
}

function examplesIn({ paths }: Described) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) => {
      const value = responses?.['200']?.content?.['application/json']?.example;
      const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
      return value === undefined ? [] : [{ method: method.toUpperCase(), pattern, value }];
    }),
  );
}

const STEERED =
  /(?:^|_)(?:name|code|plate|message|reason|number|id|tenant|version|to|failing|payload|descrizione)$/;

function hostile(value: unknown, key: string): unknown {
  // There is one page.
  if (key === 'next') return null;
  // By some codes the client knows an answer of the service.
  const isKnown = /reason_code$|result_code$|api_version$|report_version$/.test(key);
  if (typeof value === 'string') return STEERED.test(key) && !isKnown ? `${value}${HOSTILE}` : value;
  if (Array.isArray(value)) return value.map((one) => hostile(one, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, name)]));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const path = new URL(request.url ?? '/', 'http://x').pathname;
  const found = examples.find(({ method, pattern }) => method === request.method && pattern.test(path));
  const isRefused = refusal !== null || found === undefined;
  response.writeHead(isRefused ? 422 : 200, { 'Content-Type': 'application/json' });
  const value = path === '/api/v2/imports/sessions' ? REJECTED : hostile(found?.value, '');
  response.end(JSON.stringify(isRefused ? (refusal ?? {}) : value));
}

/** An import of one line. */
const REJECTED = {
  ...{ success: true, ok: true, request_id: '1', received: 1, created: 0, updated: 0, unchanged: 0 },
  ...{ rejected: 1, errors: [{ line: 1, code: 'INVALID_REQUEST', message: HOSTILE }] },
};

const OPERATORS = ['check', 'report', 'options', 'evidence', 'import'];
const run = (args: readonly string[], how: How = {}): Promise<Done> => {
  const PARKING_TOKEN = OPERATORS.includes(args[0] ?? '') ? `pev_at_${'0'.repeat(60)}` : 'administrator';
  return desk.run(args, { ...how, environment: { PARKING_URL: url, PARKING_TOKEN, ...how.environment } });
};

/** The command clears a line of progress. */
const OWN = '\x1b[1G\x1b[2K';

function expectHarmless({ out, err }: Done): void {
  for (const printed of [out, err]) {
    for (const line of printed.replaceAll(OWN, '').split('\n')) {
      expect(STEERING.exec(line), JSON.stringify(line)).toBeNull();
      // No text from elsewhere begins a line of its own.
      expect(line).not.toMatch(/^\s*parking: all is well/);
    }
  }
}

const READING = [
  'check AB123CD',
  'status',
  'report',
  'options AB123CD -m H501',
  'evidence AB123CD --at 2026-03-07T12:00:00+01:00 -m H501',
  `call ${'0'.repeat(32)}`,
  'credential list',
  `credential show ${'0'.repeat(24)}`,
  'credential refresh',
  `credential revoke ${'0'.repeat(24)} --yes`,
  `credential rotate ${'0'.repeat(24)} --yes --out /dev/stdout`,
  'config get H501',
  'config get HOSTILE',
  // A document is judged by the service: any will do.
  'config diff package.json',
  'plate export AB123CD --tenant acme',
  'plate erase HOSTILE --tenant HOSTILE --yes',
  'plate erase HOSTILE --tenant HOSTILE',
  'payment list -m H501',
  'payment show P-1 -m H501',
  'import sessions - --source app1',
  'restore --discard HOSTILE --yes',
  'profiles',
];
const wordsOf = (command: string) => command.split(' ').map((word) => (word === 'HOSTILE' ? HOSTILE : word));

describe('What a service answers never steers the terminal:', () => {
  it.each(READING)('parking %s', async (command) => {
    refusal = null;
    const words = wordsOf(command);
    const input = 'AB123CD\n';
    expectHarmless(await run(words, { input, columns: 60 }));
    const json = await run([...words, '--json'], { input });
    expectHarmless(json);
    // Otherwise it has printed nothing of the answer.
    expect(json.err).not.toContain('NOT_OUR_ANSWER');
    if (json.out !== '') expect(() => JSON.parse(json.out)).not.toThrow();

    const message = `no ${HOSTILE}`;
    const error = { code: `CODE${HOSTILE}`, message, details: { issues: [{ path: HOSTILE, message }] } };
    refusal = { success: false, ok: false, request_id: HOSTILE, error };
    expectHarmless(await run(words, { input, columns: 60 }));
    const refused = await run([...words, '--json'], { input });
    expectHarmless(refused);
  });
});

describe('What a file or its name holds never steers the terminal:', () => {
  const titles = 'session_id;plate;area_code;starts_at';
  const importing = (file: string, ...more: readonly string[]): string[] => [
    ...['import', 'sessions', file, '--dry-run', '--timezone', 'Europe/Rome', ...more],
  ];

  it('a file that is read as Windows-1252', async () => {
    const file = desk.write(NAME, Buffer.from(`${titles}\n1;A;Città;2026-03-07 10:00\n`, 'latin1'));
    const done = await run(importing(file));
    expect(done.err).toContain('is read as Windows-1252');
    expect(done.err).toContain('<U+001B>]0;title<U+0007>');
    expectHarmless(done);
    expectHarmless(await run(importing(file, '--json')));
  });

  it('rejected rows, and titles that are not found', async () => {
    const cell = `"${HOSTILE}"`;
    const file = desk.write('hostile.csv', `${titles};${cell}\n${cell};${cell};${cell};${cell};${cell}\n`);
    refusal = null;
    const done = await run(importing(file));
    expect(done.err).toContain('starts_at:');
    expectHarmless(done);
    expectHarmless(await run(importing(file, '--map', `plate=${HOSTILE}`)));
    expectHarmless(await run(importing(file, '--map', HOSTILE)));
  });

  it('a workbook with such a sheet, a mapping, a document, a file of plates', async () => {
    const file = desk.write('plates.txt', `AB123CD;${HOSTILE}\n`);
    for (const name of [NAME, `${HOSTILE}.xlsx`, `${HOSTILE}.ndjson`, `${HOSTILE}.none`]) {
      expectHarmless(await run(importing(desk.path(name))));
      expectHarmless(await run(importing(desk.write(name, HOSTILE))));
      expectHarmless(await run(importing(desk.path(name), '--rejected', desk.path(name))));
    }
    const yaml = desk.write(`${HOSTILE}.yaml`, `municipalities: "${HOSTILE}`);
    for (const args of [
      ['config', 'put', yaml, '--yes'],
      ['config', 'diff', yaml],
      ['import', 'sessions', file, '--mapping', yaml],
      ['import', 'sessions', file, '--mapping', HOSTILE],
      ['restore', yaml, '--yes'],
      ['backup', HOSTILE, '--out', yaml],
    ]) {
      expectHarmless(await run(args));
      expectHarmless(await run([...args, '--json']));
    }
  });

  it('the arguments', async () => {
    for (const words of [
      'HOSTILE',
      'check A HOSTILE',
      'check A --at HOSTILE',
      'check A --profile HOSTILE',
      'help HOSTILE',
      'login --profile HOSTILE --stdin',
      `import sessions ${desk.path('none.csv')} --timezone HOSTILE`,
      'report --watch --area-type HOSTILE',
    ]) {
      expectHarmless(await run(wordsOf(words), { input: HOSTILE }));
    }
    expectHarmless(await run([`--${HOSTILE}`]));
    expectHarmless(await run(['status'], { environment: { PARKING_URL: `http://${HOSTILE}/` } }));
  });
});

describe('A command that is advised', () => {
  it('can be pasted, whatever is in it: a backup that somebody has changed is quoted for the shell', async () => {
    const code = "H501'; touch x; '\u202e$(id)";
    const header = { type: 'backup', format: 1, backup_id: 'b', part: 1, after: null, tenant: 'acme' };
    const begun = { municipality_code: code, begun_at: '2026-03-07T10:00:00Z' };
    const text = [
      { ...header, ...begun },
      { type: 'part', after: 'x', more: false },
    ];
    const lines = text.map((line) => `${JSON.stringify(line)}\n`).join('');
    const file = desk.write('tampered.gz', gzipSync(lines));
    const done = await run(['restore', file, '--yes', '--tenant', 'acme'], {
      environment: { PARKING_URL: 'http://127.0.0.1:9', PARKING_PART_SECONDS: '1' },
    });
    expect(done.err.replace(/\s+/g, ' ')).toContain(
      `\`parking restore --discard 'H501'\\''; touch x; '\\''<U+202E>$(id)'\` throws it away`,
    );
    expectHarmless(done);
  });
});
