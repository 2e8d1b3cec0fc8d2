import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shortOrThorough } from '../support/run-form.ts';
import { recordSession } from './session.ts';

const PAGE = readFileSync('docs/parking-session.md', 'utf8');

it('The working day that docs/parking-session.md tells is the one that the command lives (else: npm run record:parking)', async () => {
  expect(await recordSession()).toBe(PAGE);
}, 120_000);

it.each(shortOrThorough([], [80, 200]))(
  'It is the same day in a terminal of %i columns, where progress is drawn besides',
  async (columns) => {
    const seen = new Set((await recordSession(columns)).split('\n').map((line) => line.trimEnd()));
    expect(PAGE.split('\n').filter((line) => !seen.has(line))).toEqual([]);
  },
  120_000,
);
