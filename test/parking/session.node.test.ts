import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { THOROUGH } from '../support/run-form.ts';
import { recordSession } from './session.ts';

const PAGE = readFileSync('docs/parking-session.md', 'utf8');

it('The working day that docs/parking-session.md tells is the one that the command lives (else: npx node test/parking/record.ts)', async () => {
  // A time with seconds makes a column wider.
  const squeezed = (text: string) => text.replace(/ {2,}/g, '  ');
  expect(squeezed(await recordSession())).toBe(squeezed(PAGE));
}, 120_000);

if (THOROUGH) {
  it('It is the same day in a terminal of 200 columns, where progress is drawn besides', async () => {
    const seen = new Set((await recordSession(200)).split('\n').map((line) => line.trimEnd()));
    expect(PAGE.split('\n').filter((line) => !seen.has(line))).toEqual([]);
  }, 120_000);

  it('It says as much in a terminal of 80 columns, where lines are folded', async () => {
    const seen = countWords(await recordSession(80));
    const missing = [...countWords(PAGE)].filter(([word, count]) => (seen.get(word) ?? 0) < count);
    expect(missing).toEqual([]);
  }, 120_000);
}

function countWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.match(/\S+/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
