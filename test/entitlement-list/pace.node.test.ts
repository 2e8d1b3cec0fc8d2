import { afterAll, beforeAll, expect, it } from 'vitest';
import { besideItsHmacs, foundFacility, type ListedFacility } from '../bench/lists.ts';

/** In the median 1.9 were measured, and 2.3 with WebCrypto's own HMACs in the list. */
const MAX_TIMES_ITS_HMACS = 2.5;
const MAX_ROUNDS = 12;

let facility: ListedFacility;
beforeAll(async () => {
  facility = await foundFacility(40_000);
});
afterAll(() => facility.runtime.stop());

it('A full list takes at most 2.5 times the CPU of its HMACs alone', async () => {
  const ratios: number[] = [];
  // The first round prepares code. What else the machine does can only make a round worse.
  while (ratios.length < MAX_ROUNDS && !ratios.some((ratio) => ratio <= MAX_TIMES_ITS_HMACS)) {
    const { list, hmacs } = await besideItsHmacs(facility);
    ratios.push(list.cpuSeconds / hmacs.cpuSeconds);
  }
  expect(Math.min(...ratios)).toBeLessThanOrEqual(MAX_TIMES_ITS_HMACS);
}, 300_000);
