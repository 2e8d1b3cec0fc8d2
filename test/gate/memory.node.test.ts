import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { changeOf, factsOf, HeldList } from '../../clients/client/gate/held-list.ts';
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

describe(`A list of ${ENTRIES.toLocaleString('en')} entries`, () => {
  it(`takes at most ${MAX_MIB} MiB, and comes back from its file`, { timeout: 120_000 }, async () => {
    const before = heapMiB();
    const facts = factsOf(HEADER);
    if (facts === null) throw new Error('no facts');
    let list = HeldList.full(facts, [], 'cursor');
    for (let index = 0; index < ENTRIES; index++) {
      const line = JSON.parse(
        JSON.stringify(session(`id-${index}-of-a-right`, `plate-${index}-hashd`, NOON, NOON + HOUR)),
      );
      const change = changeOf(line);
      if (change === null) throw new Error('no entry');
      list = list.changed(facts, [change], 'cursor');
    }
    const taken = heapMiB() - before;
    expect(list.size).toBe(ENTRIES);
    expect(taken).toBeLessThan(MAX_MIB);
    const kept = await readStoredForm(storedForm({ list, serviceAheadMs: 0 }));
    expect(kept?.list.size).toBe(ENTRIES);
  });
});
