import { describe, expect, it } from 'vitest';
import { HeldList } from '../../clients/client/gate/held-list.ts';
import { readStoredForm, storedForm } from '../../clients/client/gate/stored-form.ts';
import { type ListChange, readListPage } from '../../clients/client/list/wire.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED } from '../support/run-form.ts';
import {
  HEADER,
  HOUR,
  iso,
  lines,
  MINUTE,
  NOON,
  page,
  removed,
  session,
  subscription,
} from './list-lines.ts';

const full = (...changes: ListChange[]): HeldList => HeldList.full(HEADER, changes, 'cursor-1');
const changed = (before: HeldList, ...changes: ListChange[]): HeldList =>
  before.changed({ ...HEADER, mode: 'delta', as_of: iso(NOON + MINUTE) }, changes, 'cursor-2');
const idsOf = (list: HeldList, plate: string) => list.entriesOf(plate).map(({ id }) => id);
const now = (id: string, plate: string) => session(id, plate, NOON, NOON + HOUR);

describe('A page', () => {
  const whole = lines(page([now('s', 'p'), removed('x')]));

  it('is read as the service writes it', () => {
    expect(readListPage(whole)?.changes).toEqual([now('s', 'p'), removed('x')]);
    expect(readListPage(lines(page([], {}, { more: true })))?.end.more).toBe(true);
  });

  it('counts for nothing when it is cut short, anywhere', () => {
    // Without its last line end it is whole still.
    for (let length = 0; length < whole.length - 1; length++) {
      expect(readListPage(whole.slice(0, length)), `the first ${length} characters`).toBeNull();
    }
  });

  it.each([
    ['a line is missing', whole.split('\n').toSpliced(1, 1).join('\n')],
    ['its version is another', whole.replace('"version":1', '"version":2')],
    ['its end of time is no instant', whole.replace(/"valid_until":"[^"]+"/, '"valid_until":"tomorrow"')],
    ['its hash is of another kind', whole.replace('"bits":96', '"bits":64')],
    ['its facility lacks a flag', whole.replace('"service_enabled":true,', '')],
    ['its end has no cursor', whole.replace('"cursor":', '"course":')],
  ])('counts for nothing when %s', (_, text) => {
    expect(text).not.toBe(whole);
    expect(readListPage(text)).toBeNull();
  });
});

describe('A list', () => {
  it(`holds after random deltas what a plain map would hold (TEST_SEED=${RUN_SEED})`, () => {
    const random = new Random(RUN_SEED);
    let list = full();
    const model = new Map<string, string>();
    for (let step = 0; step < 300; step++) {
      const changes = Array.from({ length: random.below(9) }, () => {
        const id = `id-${random.below(31)}`;
        if (random.oneIn(3)) {
          model.delete(id);
          return removed(id);
        }
        const plate = `plate-${random.below(10)}`;
        model.set(id, plate);
        return now(id, plate);
      });
      list = changed(list, ...changes);
      expect(list.size).toBe(model.size);
      for (let number = 0; number <= 9; number++) {
        const plate = `plate-${number}`;
        const expected = [...model].filter(([, of]) => of === plate).map(([id]) => id);
        expect(idsOf(list, plate).sort()).toEqual(expected.sort());
      }
    }
  });
});

describe('A line that the gate cannot read', () => {
  /** Reads a page with a line that was changed: its entry `bad` for the plate `b`, and others around it. */
  function changesWith(bad: object): readonly ListChange[] {
    const line: object = { ...now('bad', 'b'), ...bad };
    const read = readListPage(lines(page([now('1', 'p'), line as ListChange, now('2', 'q')])));
    return read?.changes ?? expect.fail('the page was dropped');
  }

  it.each<[string, object]>([
    ['an instant outside the range of years', { until: '+010000-01-02T00:00:00+01:00' }],
    ['a cancellation that is not an instant', { cancelled_at: 'x' }],
    ['a kind that nobody knows', { kind: 'voucher' }],
    ['no plate', { plate: undefined }],
    ['a span that is none', { kind: 'subscription', valid: [{ from: 'x', until: null }] }],
    ['no spans', { kind: 'subscription' }],
    ['no id', { id: undefined }],
  ])('since it has %s counts for nothing; the others count', (_, bad) => {
    const list = full(...changesWith(bad));
    expect([idsOf(list, 'p'), idsOf(list, 'q'), idsOf(list, 'b'), list.size]).toEqual([['1'], ['2'], [], 2]);
  });

  it('takes away what was held under its id, until one comes that can be read', () => {
    const without = changed(full(now('bad', 'b')), ...changesWith({ until: 'x' }));
    expect(idsOf(without, 'b')).toEqual([]);
    expect(idsOf(changed(without, now('bad', 'b')), 'b')).toEqual(['bad']);
  });
});

describe('What a gate stores', () => {
  async function stored(list: HeldList): Promise<string> {
    let text = '';
    for await (const piece of storedForm(list)) text += piece;
    return text;
  }

  it('is read as it was, in pieces of any size', async () => {
    const many = Array.from({ length: 1_100 }, (_, index) => now(`n${index}`, `q${index}`));
    const ended = subscription('2', 'p', [NOON, NOON + HOUR], [NOON + 2 * HOUR, null]);
    const cancelled = session('1', 'p', NOON, NOON + HOUR, NOON + 7);
    const list = changed(full(cancelled, ended), ...many);
    const text = await stored(list);
    for (const size of [1_000, text.length]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );
      const kept = (await readStoredForm(pieces)) ?? expect.fail('it cannot be read');
      expect(kept.header).toEqual({ ...list.header, mode: 'full' });
      expect([kept.cursor, kept.fullAsOf]).toEqual(['cursor-2', iso(NOON)]);
      expect([...kept.entries()]).toEqual([...list.entries()]);
    }
  });

  it('counts for nothing when it is cut short, changed in its first line, or more follows', async () => {
    const text = await stored(full(now('1', 'p')));
    for (let length = 0; length < text.length - 1; length++) {
      expect(await readStoredForm([text.slice(0, length)])).toBeNull();
    }
    expect(await readStoredForm([text, text])).toBeNull();
    expect(await readStoredForm([text.replace('"version":1', '"version":2')])).toBeNull();
    expect(await readStoredForm([text.replace(/"full_as_of":"[^"]+"/, '"full_as_of":"x"')])).toBeNull();
  });
});
