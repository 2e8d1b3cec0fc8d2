import { beforeAll, describe, expect, it } from 'vitest';
import { plateHashOf } from '../../clients/client/gate/plate-hash.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { Random } from '../domain/random.ts';
import { Holder, standing } from '../entitlement-list/support.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { PLATES } from './twin-changes.ts';
import { FAULTS, MOVER, TWIN, Twins } from './twins.ts';

const random = new Random(RUN_SEED);
let twins: Twins;
/** Plates by the hash that the lists of each token have in their place. */
const plates = new Map<string, string>();

beforeAll(async () => {
  twins = await Twins.begin(random);
  for (const code of [MOVER, TWIN]) {
    const { Authorization = '' } = twins.headersOf(code);
    const hash = await plateHashOf(Authorization.replace('Bearer ', ''));
    for (const plate of PLATES) plates.set(await hash.of(storedPlate(plate)), plate);
  }
});

const holderOf = (code: string, limit?: number): Holder =>
  new Holder(twins.service, twins.headersOf(code), limit);

/** The entries that count, in an order of their own: ids are each list's own. */
const entriesOf = (holder: Holder): string[] =>
  Object.values(standing(holder))
    .map(({ id: _, plate, ...entry }) => JSON.stringify({ ...entry, plate: plates.get(plate) }))
    .sort();

describe(`A municipality that moves there and back (TEST_SEED=${RUN_SEED})`, () => {
  it('has the entitlement list of its unmoved twin, by the full list and by the changes since a cursor', async () => {
    const holders = [
      { name: 'one that asks all the time', holder: holderOf(MOVER), asksOnceIn: 1 },
      { name: 'one that asks now and then, by small pages', holder: holderOf(MOVER, 2), asksOnceIn: 3 },
      { name: 'one that asks seldom', holder: holderOf(MOVER), asksOnceIn: 8 },
    ];
    let listed = 0;
    let [answered, deltas] = [0, 0];
    await twins.moveWithEachFault(
      5,
      () => random.pick(FAULTS),
      async (when) => {
        const full = holderOf(MOVER);
        const twin = holderOf(TWIN);
        await Promise.all([full.refresh(), twin.refresh()]);
        expect(entriesOf(full), `a full list ${when}`).toEqual(entriesOf(twin));
        listed = Math.max(listed, full.entries.size);
        for (const { name, holder } of holders.filter(({ asksOnceIn }) => random.oneIn(asksOnceIn))) {
          const { fullLists } = holder;
          await holder.refresh();
          expect(entriesOf(holder), `the list of ${name} ${when}`).toEqual(entriesOf(twin));
          expect(holder.faults).toEqual([]);
          answered += 1;
          deltas += holder.fullLists === fullLists ? 1 : 0;
        }
      },
    );
    expect(listed).toBeGreaterThan(shortOrThorough(0, 3));
    // Behind a move the cursor is gone: else there is a change to tell.
    expect(deltas).toBeGreaterThan(shortOrThorough(0, 10));
    expect(answered - deltas).toBeGreaterThan(shortOrThorough(0, 10));
  }, 240_000);
});
