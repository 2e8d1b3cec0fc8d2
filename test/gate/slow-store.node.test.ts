import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListStore } from '../../clients/client/gate/index.ts';
import { HOUR, iso, page, session } from './list-lines.ts';
import { hashed, listed, ScriptedGate } from './scripted-gate.ts';

const STORE_WITHIN_MS = 250;
const LATE = `The store has not answered within ${STORE_WITHIN_MS} ms.`;
const never = (): Promise<never> => new Promise(() => {});

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
  scripted.list = [await full('full')];
});
afterEach(() => scripted.service.stop());

const entry = async (id: string) =>
  session(id, await hashed(id.toUpperCase()), Date.now() - HOUR, Date.now() + HOUR);
const header = () => ({ as_of: iso(Date.now()), valid_until: iso(Date.now() + 12 * HOUR) });
const full = async (cursor: string) => listed(page([await entry('known')], header(), { cursor }));
const delta = async (cursor: string, ...ids: string[]) =>
  listed(page(await Promise.all(ids.map(entry)), { ...header(), mode: 'delta' }, { cursor }));
const messages = () => scripted.eventsOf('store_failed').map(({ message }) => message);

/** A store whose first save is held up before it reads anything, until it is let go. */
class HeldUpStore implements ListStore {
  readonly saved: string[] = [];
  letGo = (): void => {};
  readonly #heldUp = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  async load(): Promise<null> {
    return null;
  }

  async save(pieces: AsyncIterable<string>): Promise<void> {
    await this.#heldUp;
    let text = '';
    for await (const piece of pieces) text += piece;
    this.saved.push(text);
  }
}

describe('A gate whose store hangs', () => {
  it('goes on refreshing while a save never ends, saves nothing else meanwhile, and says so', async () => {
    let saves = 0;
    const save = () => {
      saves += 1;
      return never();
    };
    const gate = scripted.gate({
      store: { load: async () => null, save },
      storeWithinMs: STORE_WITHIN_MS,
    });
    expect(await gate.refresh()).toBe(true);
    scripted.list = [await delta('second', 'new')];
    expect(await gate.refresh()).toBe(true);
    expect([gate.status().list?.entries, saves]).toEqual([2, 1]);
    expect(messages()).toEqual([LATE, 'The store has not finished the previous save.']);
    await gate.close();
  });

  it('saves the newest list once the save before has ended, and never a mixture of two', async () => {
    const store = new HeldUpStore();
    const gate = scripted.gate({ store, storeWithinMs: STORE_WITHIN_MS });
    await gate.refresh();
    scripted.list = [await delta('second', 'new'), await delta('third')];
    await gate.refresh();
    store.letGo();
    await expect.poll(() => store.saved).toHaveLength(1);
    // Nothing has changed since, and yet it is saved: what is stored is older.
    await gate.refresh();
    const marks = store.saved.map((text) => [
      text.includes('"id":"new"'),
      /"cursor":"(\w+)"/.exec(text)?.[1],
    ]);
    expect(marks).toEqual([
      [false, 'full'],
      [true, 'third'],
    ]);
    expect(messages()).toHaveLength(2);
  });

  it('can be ended while the list of an earlier run never comes', async () => {
    const gate = scripted.gate({ store: { load: never, save: async () => {} } });
    await gate.close();
    expect(scripted.events).toEqual([]);
  });
});
