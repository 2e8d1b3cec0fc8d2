import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordSession } from './session.ts';

it('The working day that docs/parking-session.md tells is the one that the command lives (else: npm run record:parking)', async () => {
  expect(await recordSession()).toBe(readFileSync('docs/parking-session.md', 'utf8'));
}, 120_000);
