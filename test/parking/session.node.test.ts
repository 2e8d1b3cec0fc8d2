import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordSession } from './session.ts';

const PAGE = readFileSync('docs/parking-session.md', 'utf8');

it('The working day that docs/parking-session.md tells is the one that the command lives (else: npx node test/parking/record.ts)', async () => {
  // A time with seconds makes a column wider.
  const squeezed = (text: string) => text.replace(/ {2,}/g, '  ');
  expect(squeezed(await recordSession())).toBe(squeezed(PAGE));
}, 120_000);
