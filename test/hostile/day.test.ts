import { env } from 'cloudflare:workers';
import { beforeAll, expect, it } from 'vitest';
import { DAILY_CHANGES } from '../../src/domain/daily-changes.ts';
import { aSubscriptionLine, countsOf, file, SUBSCRIPTIONS } from '../imports/support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, FACILITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const GB = 1e9;
/** What a tenant's day of subscriptions may keep, of a database's 10 GB. Of ordinary lines with one plate it is 1.6 GB. */
const MAX_A_DAY = 2 * GB;

/** As long as a code may be, each character of three bytes. */
const LONG_CODES = Array.from({ length: 10 }, (_, index) => `${index}-`.padEnd(80, '京'));
const SHORT_CODES = Array.from({ length: 125 }, (_, index) => `A${index}`);
const service = new Service();
let credential: TestCredential;

beforeAll(async () => {
  await seed({
    ...CITY,
    areas: [
      ...CITY.areas,
      ...[...LONG_CODES, ...SHORT_CODES].map((code, index) => ({ ...FACILITY, id: 10 + index, code })),
    ],
  });
  credential = await issueCredential();
});

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const day = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString();

interface Shape {
  readonly plates: number;
  readonly periods: number;
  readonly areas: 'all' | readonly string[];
  readonly key: string;
  readonly lines?: number;
}

const line = ({ plates, periods, areas, key }: Shape, number: number, changed: object) =>
  aSubscriptionLine({
    subscription_number: `${key}${number}`,
    plates: many(plates, (index) => ({ plate: `${'Ж'.repeat(12)}${100 + ((number + index) % 900)}` })),
    periods: many(periods, (index) => ({ starts_at: day(index), ends_at: day(index + 1) })),
    ...{ areas, authorized_until: null },
    ...changed,
  });

/** Bytes that the database takes: whole pages. And the changes of the day. */
async function stored(): Promise<{ readonly bytes: number; readonly changes: number }> {
  const { results, meta } = await env.DB.prepare('select changes from changes_by_day').all<{
    changes: number;
  }>();
  return { bytes: meta.size_after, changes: results[0]?.changes ?? 0 };
}

it.each<[string, Shape]>([
  [
    'as many plates as a line may have, and as many long codes',
    { key: 'a', plates: 500, periods: 10, areas: LONG_CODES },
  ],
  [
    'as many, and as many short codes',
    { key: 'b', plates: 500, periods: 10, areas: SHORT_CODES.slice(0, 10) },
  ],
  ['a long key', { key: '京'.repeat(190), plates: 500, periods: 0, areas: 'all' }],
  ['nothing but plates', { key: 'c', plates: 500, periods: 0, areas: 'all' }],
  [
    'as many periods and areas as that many plates may have',
    { key: 'd', plates: 40, periods: 125, areas: SHORT_CODES },
  ],
  ['nothing but one plate', { key: 'e', plates: 1, periods: 1, areas: 'all', lines: 300 }],
])(
  'A day of subscriptions with %s keeps a fraction of a database, new ones and changed ones',
  async (_, shape) => {
    for (const changed of [{}, { revision: 1 }, { revision: 2 }]) {
      const before = await stored();
      const lines = many(shape.lines ?? 20, (number) => line(shape, number, changed));
      const answer = await service.call(SUBSCRIPTIONS, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-ndjson', ...credential.headers },
        body: file(lines),
      });
      expect(countsOf(answer)).toMatchObject({ rejected: 0, unchanged: 0 });
      const after = await stored();
      const bytes = (after.bytes - before.bytes) / (after.changes - before.changes);
      expect(bytes * DAILY_CHANGES).toBeLessThan(MAX_A_DAY);
    }
  },
);

it('A line that has no room for what it keeps is rejected, and leaves nothing', async () => {
  await env.DB.prepare('update changes_by_day set changes = ?')
    .bind(DAILY_CHANGES - 500)
    .run();
  const send = (shape: Shape) =>
    service.call(SUBSCRIPTIONS, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', ...credential.headers },
      body: file([line(shape, 0, {})]),
    });
  const before = await stored();
  const heavy = await send({ key: 'f', plates: 500, periods: 10, areas: LONG_CODES });
  expect(heavy.body).toMatchObject({ rejected: 1, errors: [{ line: 1, code: 'QUOTA_EXCEEDED' }] });
  expect((await stored()).changes).toBe(before.changes);
  // A fleet whose periods and areas are those of an ordinary one counts its plates.
  expect(countsOf(await send({ key: 'g', plates: 200, periods: 10, areas: ['A0', 'A1'] }))).toMatchObject({
    created: 1,
  });
  expect((await stored()).changes).toBe(before.changes + 201);
});
