import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { HeldList } from '../../clients/client/gate/held-list.ts';
import { readStoredForm, storedForm } from '../../clients/client/gate/stored-form.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { HEADER, HOUR, NOON, session } from './list-lines.ts';

const ENTRIES = shortOrThorough(25_000, 100_000);
const MAX_MIB = (64 * ENTRIES) / 100_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

it(`A list of ${ENTRIES.toLocaleString('en')} entries takes at most ${MAX_MIB} MiB, and comes back from its file`, async () => {
  const before = heapMiB();
  let list = HeldList.full(HEADER, [], 'cursor');
  for (let index = 0; index < ENTRIES; index++) {
    const line = session(`id-${index}-of-a-right`, `plate-${index}-hashd`, NOON, NOON + HOUR);
    list = list.changed(HEADER, [JSON.parse(JSON.stringify(line))], 'cursor');
  }
  const taken = heapMiB() - before;
  expect(list.size).toBe(ENTRIES);
  expect(taken).toBeLessThan(MAX_MIB);
  const kept = await readStoredForm(storedForm(list));
  expect(kept?.size).toBe(ENTRIES);
}, 120_000);
