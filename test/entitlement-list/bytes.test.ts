import { expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { countedBindings } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { at, session, subscription } from './lines.ts';
import { Holder, LIST, listingCity, standing } from './support.ts';

const MIB = 1024 * 1024;
/** A subscription of so many periods that do not touch, and plates: its lines are some 6 KB each. */
const PERIODS = 100;
const PLATES = 50;
const SUBSCRIPTION_COUNT = shortOrThorough(4, 8);

const { city, importSessions, importSubscriptions, freshHolder } = listingCity();

const fleet = (number: number) =>
  subscription(`R-${number}`, {
    plates: Array.from({ length: PLATES }, (_, index) => ({ plate: `P${number}X${index}` })),
    periods: Array.from({ length: PERIODS }, (_, index) => ({
      starts_at: at((2 * index + 1) * HOUR_MS),
      ends_at: at((2 * index + 2) * HOUR_MS),
    })),
  });

async function textOf(cursor?: string): Promise<string> {
  const search = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  const headers = { ...city.headers, 'CF-Connecting-IP': '203.0.113.7' };
  const { status, text } = await city.service.send(
    new Request(`https://parking.test${LIST}${search}`, { headers }),
  );
  expect(status).toBe(200);
  return text;
}

/** All pages from a cursor on, as they were sent. */
async function pagesFrom(cursor?: string): Promise<string[]> {
  const page = await textOf(cursor);
  const end = JSON.parse(page.trimEnd().split('\n').at(-1) ?? '');
  return end.more ? [page, ...(await pagesFrom(end.cursor))] : [page];
}

const linesOf = (page: string): string[] => page.trimEnd().split('\n').slice(1, -1);

/** No page is over 1 MiB, and each but the last has no room for the first line of the next. */
function expectFull(pages: readonly string[]): void {
  expect(pages.length).toBeGreaterThan(1);
  for (const [index, page] of pages.entries()) {
    const [next] = linesOf(pages[index + 1] ?? '');
    expect(page.length).toBeLessThanOrEqual(MIB);
    if (next !== undefined) expect(page.length + next.length + 1).toBeGreaterThan(MIB - 100);
  }
}

it('A page of a full list ends before the line that would take it past 1 MiB, and the next one begins with it', async () => {
  const lines = Array.from({ length: SUBSCRIPTION_COUNT }, (_, number) => fleet(number));
  await importSubscriptions(...lines);
  const pages = await pagesFrom();
  expectFull(pages);
  const ids = pages.flatMap(linesOf).map((line) => JSON.parse(line).id);
  expect(new Set(ids).size).toBe(SUBSCRIPTION_COUNT * PLATES);
  expect(ids).toHaveLength(SUBSCRIPTION_COUNT * PLATES);
});

it('So does a page of changes, and who takes them all holds what a full list holds', async () => {
  const holder = await freshHolder();
  const { cursor } = holder;
  const lines = Array.from({ length: SUBSCRIPTION_COUNT }, (_, number) => fleet(100 + number));
  await importSubscriptions(...lines);
  for (const page of await pagesFrom(cursor)) expect(page.length).toBeLessThanOrEqual(MIB);
  await holder.refresh();
  expect(holder.faults).toEqual([]);
  expect(holder.entries.size).toBe(2 * SUBSCRIPTION_COUNT * PLATES);
});

it('A list of subscriptions of hundreds of plates is read in few steps, in whichever order they were changed', async () => {
  const [fleets, plates] = [14, 500];
  const large = (number: number, hours: number) =>
    subscription(`L-${number}`, {
      plates: Array.from({ length: plates }, (_, index) => ({ plate: `L${number}X${index}` })),
      periods: [{ starts_at: at(0), ends_at: at(hours * HOUR_MS) }],
    });
  const numbers = Array.from({ length: fleets }, (_, number) => number);
  await importSubscriptions(...numbers.map((number) => large(number, 5)));
  for (const number of numbers.toReversed()) await importSubscriptions(large(number, 9));
  const { cost, bindings } = countedBindings();
  const holder = new Holder(new Service(bindings), city.headers);
  let pages = 1;
  while (await holder.step()) pages += 1;
  expect(holder.entries.size).toBeGreaterThanOrEqual(fleets * plates);
  expect(cost.rowsRead / holder.entries.size).toBeLessThan(13);
  expect(cost.roundTrips / pages).toBeLessThan(6);
});

it('A delta of more sessions, and more plates that left, than one read takes misses none', async () => {
  const holder = await freshHolder();
  const held = holder.entries.size;
  const sessions = (from: number) =>
    Array.from({ length: 600 }, (_, index) => session(`D-${from + index}`, { plate: `D${from + index}` }));
  await importSessions(...sessions(0));
  await importSubscriptions(...[0, 1, 2].map((number) => subscription(`L-${number}`, { plates: [] })));
  await importSessions(...sessions(600));
  await holder.refresh();
  expect([holder.fullLists, holder.entries.size]).toEqual([1, held + 1_200 - 1_500]);
  expect(standing(holder)).toEqual(standing(await freshHolder()));
});
