import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { THOROUGH } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

/**
 * The time of a request with a large body grows with its size and not faster. A clock would tell more of the machine than
 * of the service: each nasty request is measured against a plain one of the same size to the same operation.
 */

const KIB = 1024;
/** Some inputs are dearer than plain text, and the machine has other work. What grows faster is dearer by far more. */
const MAX_TIMES_DEARER = 40;
/** So many in the thorough run, and more where a machine was busy in each of them. */
const ROUNDS = 3;
const MAX_ROUNDS = 20;
/** The clock of this runtime goes by milliseconds. */
const GRAIN_MS = 1;

const QUERY = 63 * KIB;
const FILE = 512 * KIB;

const city = new City(CITY);

interface Sent {
  readonly path: string;
  readonly body: string;
}

const upTo = (bytes: number, unit: string): string =>
  unit.repeat(Math.floor(bytes / new TextEncoder().encode(unit).length));

const check = (body: object): Sent => ({
  path: '/api/v2/parking-entitlements/search',
  body: JSON.stringify({ plate: 'AB123CD', ...body }),
});
const issue = (changed: object): Sent => ({
  path: '/api/v2/admin/credentials',
  body: JSON.stringify({
    ...{ tenant: 'acme', name: 'x', scopes: ['report'], municipalities: ['H501'] },
    ...changed,
  }),
});
const sessions = (body: string): Sent => ({ path: '/api/v2/imports/sessions?source_code=app1', body });
const line = (index: number): string => {
  const session = {
    session_id: `s${index}`,
    plate: 'AB123CD',
    area_code: 'S1',
    starts_at: '2026-03-07T11:00Z',
  };
  return `${JSON.stringify(session)}\n`;
};

const PLAIN = {
  query: check({ x: upTo(QUERY, 'A') }),
  credential: issue({ name: upTo(QUERY, 'x') }),
  file: sessions(Array.from({ length: 4_500 }, (_, index) => line(index)).join('')),
} as const;

it.each<[string, keyof typeof PLAIN, Sent]>([
  ['A letter with thousands of marks', 'query', check({ plate: `a${upTo(QUERY, '\u0301')}` })],
  [
    'Marks of many classes in the wrong order',
    'query',
    check({ plate: `a${upTo(QUERY, '\u0315\u0300\u05ae')}` }),
  ],
  ['A plate of parts of syllables', 'query', check({ plate: upTo(QUERY, '\u1100\u1161') })],
  ['A plate of nothing that stays', 'query', check({ plate: upTo(QUERY, '\u200b') })],
  ['A plate of ligatures', 'query', check({ plate: upTo(QUERY, 'ﷺ') })],
  ['A plate of blanks', 'query', check({ plate: `${upTo(QUERY, ' ')}A` })],
  [
    'An instant with a long fraction',
    'query',
    check({ checked_at: `2026-01-01T00:00:00.${upTo(QUERY, '1')}` }),
  ],
  ['A long address', 'credential', issue({ ip_allowlist: [upTo(QUERY, '1:')] })],
  ['An address of zeros', 'credential', issue({ ip_allowlist: [`${upTo(QUERY, '0')}::/1`] })],
  ['An address of slashes', 'credential', issue({ ip_allowlist: [upTo(QUERY, '/')] })],
  ['A name of blanks', 'credential', issue({ name: `x${upTo(QUERY, ' ')}x` })],
  ['A name of beginnings of tokens', 'credential', issue({ name: upTo(QUERY, 'pev_') })],
  ['A file of empty lines', 'file', sessions(upTo(FILE, '\n'))],
  ['A file of one line of blanks', 'file', sessions(upTo(FILE, ' '))],
  ['A file of lines of one letter', 'file', sessions(upTo(FILE, 'x\n'))],
  ['A file of one session thousands of times', 'file', sessions(upTo(FILE, line(1)))],
  [
    'A file of keys that are too long',
    'file',
    sessions(upTo(FILE, line(1).replace('"s1"', `"${upTo(40_000, ' x')}"`))),
  ],
])(
  '%s costs as one of plain letters',
  async (_, kind, nasty) => {
    const times = { nasty: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY };
    const timesDearer = () => times.nasty / Math.max(times.plain, GRAIN_MS);
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      times.plain = Math.min(times.plain, await millisecondsOf(PLAIN[kind]));
      times.nasty = Math.min(times.nasty, await millisecondsOf(nasty));
      if (timesDearer() < MAX_TIMES_DEARER && (!THOROUGH || round >= ROUNDS)) return;
    }
    expect(timesDearer()).toBeLessThan(MAX_TIMES_DEARER);
  },
  30_000,
);

async function millisecondsOf({ path, body }: Sent): Promise<number> {
  const startedAt = performance.now();
  const { status } = await city.service.call(path, {
    ...{ method: 'POST', body },
    headers: {
      'Content-Type': path.includes('/imports/') ? 'application/x-ndjson' : 'application/json',
      ...(path.includes('/admin/') ? ADMIN : city.headers),
    },
  });
  // The clock moves when something comes in.
  await env.DB.prepare('select 1').run();
  expect(status).toBeLessThan(500);
  expect([401, 413]).not.toContain(status);
  return performance.now() - startedAt;
}
