import { connect } from 'node:net';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../tools/local/migrations.ts';
import { compatibilityDate, serviceModules } from '../bench/bundle.ts';

/** What no fetch would send: the service as it runs, and bytes written to its socket. */

const PATH = '/api/v2/parking-entitlements/search';
const KIB = 1024;
const ADMIN_TOKEN = 'admin-token-of-the-socket-long-enough';
/** Longer than any deadline of what is called here: a connection that is silent for so long hangs. */
const SILENT_MS = 5_000;

let miniflare: Miniflare;
let port: number;
let token: string;
const lines: string[] = [];
/** What the log says of failures, over all tests: some come after their answer. */
const failures: string[] = [];

beforeAll(async () => {
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: await serviceModules(),
      compatibilityDate,
      d1Databases: ['DB'],
      kvNamespaces: ['SNAPSHOTS'],
      durableObjects: { CREDENTIALS: { className: 'CredentialObject', useSQLite: true } },
      bindings: {
        ADMIN_TOKEN,
        TOKEN_KEY: 'token-key-of-the-socket-long-enough',
        DIGEST_KEY: 'digest-key-of-the-socket-long-enough',
      },
      // A path without a slash is the page at `/`. What the files hold does not matter here.
      serviceBindings: { ASSETS: () => new Response('', { headers: { ETag: '"1"' } }) },
      handleStructuredLogs: ({ message }) => {
        lines.push(message);
        if (/"failure"|TEMPORARY_ERROR/.test(message)) failures.push(message);
      },
      log: new Log(LogLevel.NONE),
    }),
  );
  port = Number((await miniflare.ready).port);
  await migrate(await miniflare.getD1Database('DB'));
  await administrate('PUT', 'configuration', {
    tenants: [{ code: 'acme', name: 'Acme' }],
    municipalities: [
      {
        ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
      },
    ],
  });
  const issued = await administrate('POST', 'credentials', {
    ...{ tenant: 'acme', name: 'socket', scopes: ['plate_check'], municipalities: ['H501'] },
    rate_limit: { limit: 10_000, window_seconds: 60 },
  });
  token = String(issued.access_token);
}, 60_000);
afterAll(() => miniflare.dispose());

async function administrate(method: string, what: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v2/admin/${what}`, {
    method,
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, unknown>;
}

/** Writes the pieces one after the other, ends its side, and gives back what comes. */
function exchange(pieces: readonly string[], ends = true): Promise<string> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(Buffer.from(piece, 'latin1'));
      if (ends) socket.end();
    });
    socket.setTimeout(SILENT_MS, () => {
      reject(new Error(`silent for ${SILENT_MS} ms after: ${Buffer.concat(received).toString('utf8')}`));
      socket.destroy();
    });
    socket.on('data', (chunk) => received.push(chunk));
    // A connection that is cut says enough.
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(received).toString('utf8')));
  });
}

const head = (headers: readonly string[] = [], start = `POST ${PATH} HTTP/1.1`): string =>
  `${[start, 'Host: parking.test', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;
const authorized = (...headers: string[]): string[] => [
  `Authorization: Bearer ${token}`,
  'Content-Type: application/json',
  ...headers,
];
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

/** The service's own answers are the envelope; the runtime's, before it, are none of ours. Silence is neither. */
function expectNoFailure(answer: string): void {
  expect(statusOf(answer), answer).not.toBe(500);
  expect(answer).not.toMatch(/pev_(?:at|ak)_[0-9a-f]|\.ts:\d|D1_|SQLITE/);
  const id = /^x-request-id: (.*)\r$/im.exec(answer)?.[1];
  if (id !== undefined && statusOf(answer) >= 400)
    expect(answer).toContain(`"success":false,"ok":false,"request_id":"${id}"`);
}

/** The service goes on answering, and has logged no failure. */
async function expectWell(): Promise<void> {
  lines.length = 0;
  const answer = await exchange([head([], 'GET /health HTTP/1.1')]);
  expect(statusOf(answer)).toBe(200);
  await expect.poll(() => lines.join('\n')).toContain('"event":"call"');
  expect(failures.splice(0)).toEqual([]);
}

const BODY = '{"plate":"AB123CD"}';
const chunked = (...parts: string[]) => [head(authorized('Transfer-Encoding: chunked')), ...parts];
const withLength = (length: string, body = BODY) => [head(authorized(`Content-Length: ${length}`)), body];
const withHeaders = (...headers: string[]) => [
  head(authorized(`Content-Length: ${BODY.length}`, ...headers)),
  BODY,
];
const toPath = (path: string) => [head([], `GET ${path} HTTP/1.1`)];

describe('Over a socket, the service', () => {
  it('answers a right request, whole, in pieces, and with trailers', async () => {
    expect(statusOf(await exchange(withLength(String(BODY.length))))).toBe(200);
    expect(statusOf(await exchange(chunked(...[...BODY].map(chunk), '0\r\n\r\n')))).toBe(200);
    expect(statusOf(await exchange(chunked(chunk(BODY), '0\r\nX-Trailer: x\r\n\r\n')))).toBe(200);
  });

  it('refuses a body that is too large with 413, whatever its length was said to be', async () => {
    const piece = chunk(' '.repeat(8 * KIB));
    const pieces = Array.from({ length: 9 }, () => piece);
    expect(statusOf(await exchange(chunked(...pieces, '0\r\n\r\n')))).toBe(413);
    expect(statusOf(await exchange(chunked(...pieces), false))).toBe(413);
    expect(statusOf(await exchange(withLength(String(64 * KIB + 1), ' '.repeat(100)), false))).toBe(413);
    expect(statusOf(await exchange(withLength('9'.repeat(15), '{'), false))).toBe(413);
    await expectWell();
  });

  // How bytes are made a request is the runtime's: these are the cases of which something reaches the service.
  it.each<[string, () => string[]]>([
    ['a body shorter than announced', () => withLength('1000')],
    ['a body longer than announced', () => withLength('5')],
    ['no length at all', () => [head(authorized()), BODY]],
    ['a chunk whose size is not a number', () => chunked('zz\r\n{}\r\n')],
    ['chunks that break off', () => chunked(chunk('{"plate":'))],
    ['a body that was compressed', () => withHeaders('Content-Encoding: gzip')],
    [
      'headers beyond ASCII',
      () => withHeaders('Accept-Language: \xff\xfe\xe9', 'CF-Connecting-IP: \xc3\xa9'),
    ],
    [
      'a token of bytes beyond ASCII',
      () => [head([`Authorization: Bearer ${token}\xc3\xa9`, 'Content-Length: 0'])],
    ],
    ['a key of bytes beyond ASCII', () => [head(['X-Api-Key: pev_\xd0\xb0k_\xff', 'Content-Length: 0'])]],
    ['a token sent twice', () => withHeaders(`Authorization: Bearer ${token}`)],
    ['two content types', () => withHeaders('Content-Type: text/plain')],
    [
      'a content type of 60 KB of blanks',
      () => withHeaders(`Content-Type: x; charset=${' '.repeat(60_000)}"x`),
    ],
    ['a header of 100 KB', () => withHeaders(`X-Long: ${'x'.repeat(100_000)}`)],
    ['a method of its own', () => [head([], `BREW ${PATH} HTTP/1.1`)]],
    ['an absolute address', () => toPath('http://evil.test/health')],
    ['a path of bytes beyond ASCII', () => toPath('/caf\xe9/\xff')],
    ['a path that leads up in disguise', () => toPath('/docs/%2e%2e/%2e%2e/wrangler.toml')],
    ['a path with a half escape', () => toPath('/api/v2/admin/calls/%')],
    ['a path of 100 KB', () => toPath(`/${'a'.repeat(100_000)}`)],
  ])('does not fail over %s', async (_, pieces) => {
    expectNoFailure(await exchange(pieces()));
    await expectWell();
  });
});
