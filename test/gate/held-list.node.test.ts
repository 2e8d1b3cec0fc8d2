import { describe, expect, it } from 'vitest';
import {
  completeList,
  type Gathering,
  gather,
  type Misfit,
  type Wanted,
} from '../../clients/client/gate/gathering.ts';
import { type HeldList, hasEnded } from '../../clients/client/gate/held-list.ts';
import { readStoredForm, storedForm } from '../../clients/client/gate/stored-form.ts';
import type { EntitlementListPage } from '../../clients/client/index.ts';
import { type ListChange, type ListHeader, readListPage } from '../../clients/client/list/wire.ts';
import { instant } from '../../src/domain/instant.ts';
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

const WANTED: Wanted = { mode: 'full', areaCode: 'P1', municipalityCode: 'H501', keyId: 'dc6c7e1c' };

function held(pages: readonly EntitlementListPage[], before: HeldList | null = null): HeldList {
  const wanted = { ...WANTED, mode: pages[0]?.header.mode ?? 'full' };
  let gathering: Gathering | null = null;
  for (const one of pages) {
    const gathered: Gathering | Misfit = gather(gathering, one, wanted);
    if (typeof gathered === 'string') throw new Error(gathered);
    gathering = gathered;
  }
  if (gathering === null) throw new Error('no page');
  return completeList(before, gathering, pages.at(-1)?.cursor ?? '');
}
const idsOf = (list: HeldList, plate: string) => list.entriesOf(plate).map(({ id }) => id);

describe('A page', () => {
  const whole = lines(page([session('s', 'p', NOON, NOON + HOUR), removed('x')]));

  it('is read as the service writes it', () => {
    expect(readListPage(whole)?.changes).toHaveLength(2);
    expect(readListPage(lines(page([])))?.end.more).toBe(false);
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
    ['a line is no JSON', whole.replace('"kind":', '"kind"')],
    ['its header has no instant', whole.replace(/,"as_of":"[^"]+"/, '')],
    ['its end counts other lines', whole.replace('"lines":2', '"lines":3')],
    ['its end has no cursor', whole.replace('"cursor":', '"course":')],
    ['it is JSON of another kind', '{"success":true}\n{"ok":true}\n'],
  ])('counts for nothing when %s', (_, text) => {
    expect(readListPage(text)).toBeNull();
  });
});

describe('A list', () => {
  it('is gathered from all of its pages, and found by plate', () => {
    const list = held([
      page([session('1', 'p', NOON, NOON + HOUR)], {}, { more: true, cursor: 'a' }),
      page([session('2', 'q', NOON, NOON + HOUR), session('3', 'p', NOON, NOON + HOUR)], {}, { cursor: 'b' }),
    ]);
    expect([idsOf(list, 'p'), idsOf(list, 'q'), idsOf(list, 'r')]).toEqual([['1', '3'], ['2'], []]);
    expect([list.size, list.cursor]).toEqual([3, 'b']);
  });

  it.each<[string, EntitlementListPage, Misfit]>([
    ['of another area', page([], { area_code: 'P2' }), 'another_list'],
    ['of another municipality', page([], { municipality_code: 'L219' }), 'another_list'],
    ['of another kind', page([], { mode: 'delta' }), 'another_list'],
    ['of another instant', page([], { as_of: iso(NOON + 1) }), 'another_list'],
    [
      'for another token',
      page([], { plate_hash: { ...HEADER.plate_hash, key_id: '00000000' } }),
      'another_key',
    ],
    ['with an instant that is none', page([], { valid_until: 'tomorrow' }), 'wrong_form'],
  ])('takes no page %s', (_, next, misfit) => {
    const first = gather(null, page([], {}, { more: true }), WANTED);
    if (typeof first === 'string') throw new Error(first);
    expect(gather(first, next, WANTED)).toBe(misfit);
  });

  it('takes what a delta adds, changes and removes, and ignores an id that it does not hold', () => {
    const list = held([
      page([
        session('stays', 'p', NOON, NOON + HOUR),
        session('changes', 'p', NOON, NOON + HOUR),
        session('moves', 'p', NOON, NOON + HOUR),
        session('goes', 'p', NOON, NOON + HOUR),
      ]),
    ]);
    const after = held(
      [
        page(
          [
            session('changes', 'p', NOON, NOON + 2 * HOUR),
            session('moves', 'another', NOON, NOON + HOUR),
            removed('goes'),
            removed('never-seen'),
            subscription('new', 'p', [NOON, null]),
          ],
          { mode: 'delta', as_of: iso(NOON + MINUTE) },
          { cursor: 'c' },
        ),
      ],
      list,
    );
    expect(idsOf(after, 'p').sort()).toEqual(['changes', 'new', 'stays']);
    expect(idsOf(after, 'another')).toEqual(['moves']);
    expect(after.entriesOf('p').find(({ id }) => id === 'changes')).toMatchObject({ until: NOON + 2 * HOUR });
    expect([after.cursor, after.facts.asOf, after.fullAsOf]).toEqual(['c', NOON + MINUTE, NOON]);
  });

  it('forgets what has ended: sessions a day later, since cars leave late', () => {
    const list = held([
      page([
        session('ended', 'p', NOON - 30 * HOUR, NOON - 24 * HOUR),
        session('late', 'p', NOON - 30 * HOUR, NOON - 24 * HOUR + 1),
        session('cancelled', 'p', NOON, NOON + HOUR, NOON),
        session('to-be-cancelled', 'p', NOON, NOON + HOUR, NOON + 1),
        subscription('over', 'p', [NOON - HOUR, NOON]),
        subscription('for-ever', 'p', [NOON - HOUR, NOON], [NOON + HOUR, null]),
      ]),
    ]);
    list.dropEnded(instant(NOON));
    expect(idsOf(list, 'p')).toEqual(['late', 'to-be-cancelled', 'for-ever']);
    expect([...list.entries()].some((entry) => hasEnded(entry, instant(NOON)))).toBe(false);
  });

  it(`holds after random deltas what a plain map would hold (TEST_SEED=${RUN_SEED})`, () => {
    const random = new Random(RUN_SEED);
    let list = held([page([])]);
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
        return session(id, plate, NOON, NOON + HOUR);
      });
      list = held([page(changes, { mode: 'delta' })], list);
      expect(list.size).toBe(model.size);
      for (let number = 0; number <= 9; number++) {
        const plate = `plate-${number}`;
        const expected = [...model].filter(([, of]) => of === plate).map(([id]) => id);
        expect(idsOf(list, plate).sort()).toEqual(expected.sort());
      }
    }
  });
});

/** What a gate may meet in place of an entry, under the id `bad`. */
const BAD_ENTRIES: readonly (readonly [string, object, readonly string[]])[] = [
  ['an instant outside the range of years', { until: '+010000-01-02T00:00:00+01:00' }, ['bad']],
  ['an instant that is none', { from: 'soon' }, ['bad']],
  ['a cancellation that is not an instant', { cancelled_at: 'x' }, ['bad']],
  ['a kind that nobody knows', { kind: 'voucher' }, ['bad']],
  ['a line that nobody knows', { type: 'voucher' }, ['bad']],
  ['no plate', { plate: undefined }, ['bad']],
  ['no end', { until: undefined }, ['bad']],
  ['no kind', { kind: undefined }, ['bad']],
  ['a number for an instant', { until: NOON }, ['bad']],
  [
    'a subscription with a span that is none',
    { kind: 'subscription', valid: [{ from: 'x', until: null }] },
    ['bad'],
  ],
  ['a subscription without its spans', { kind: 'subscription' }, ['bad']],
  ['no id', { id: undefined }, []],
  ['a number for an id', { id: 7 }, []],
];

describe('A line that the gate cannot read', () => {
  const OTHERS = [session('1', 'p', NOON, NOON + HOUR), session('2', 'q', NOON, NOON + HOUR)];

  /** A page as it comes, with such a line at a place among the others. */
  function pageWith(bad: object, place: number, header: Partial<ListHeader> = {}): EntitlementListPage {
    const line: object = { ...session('bad', 'b', NOON, NOON + HOUR), ...bad };
    const read = readListPage(lines(page(OTHERS.toSpliced(place, 0, line as ListChange), header)));
    if (read === null) throw new Error('the page was dropped');
    return { ...read, cursor: read.end.cursor, more: read.end.more };
  }

  describe.each(BAD_ENTRIES)('since it has %s', (_, bad, ids) => {
    it.each(['first', 'middle', 'last'])('counts for nothing where it is the %s, and is named', (where) => {
      const place = ['first', 'middle', 'last'].indexOf(where);
      const list = held([pageWith(bad, place)]);
      expect([idsOf(list, 'p'), idsOf(list, 'q'), idsOf(list, 'b'), list.size]).toEqual([
        ['1'],
        ['2'],
        [],
        2,
      ]);
      expect(list.unreadable).toEqual({ count: 1, ids });

      const before = held([
        page([session('1', 'r', NOON, NOON + HOUR), session('0', 'b', NOON, NOON + HOUR)]),
      ]);
      const changed = held([pageWith(bad, place, { mode: 'delta' })], before);
      expect([idsOf(changed, 'p'), idsOf(changed, 'q'), idsOf(changed, 'r'), idsOf(changed, 'b')]).toEqual([
        ['1'],
        ['2'],
        [],
        ['0'],
      ]);
      expect(changed.unreadable).toEqual({ count: 1, ids });
    });
  });

  it('takes away what was held under its id, until one comes that can be read', () => {
    const before = held([page([session('bad', 'b', NOON, NOON + HOUR)])]);
    const without = held([pageWith({ until: 'x' }, 0, { mode: 'delta' })], before);
    expect([idsOf(without, 'b'), without.unreadable]).toEqual([[], { count: 1, ids: ['bad'] }]);
    const again = held([page([session('bad', 'b', NOON, NOON + HOUR)], { mode: 'delta' })], without);
    expect([idsOf(again, 'b'), again.unreadable]).toEqual([['bad'], { count: 0, ids: [] }]);
    const gone = held([page([removed('bad')], { mode: 'delta' })], held([pageWith({ until: 'x' }, 0)]));
    expect(gone.unreadable.count).toBe(0);
  });

  it('is counted with all others, of which a hundred are named', () => {
    const many = Array.from({ length: 150 }, (_, index) => ({
      ...session(`n${index}`, 'p', NOON, NOON),
      until: 'x',
    }));
    const { count, ids } = held([page(many as ListChange[])]).unreadable;
    expect([count, ids.length, ids[0]]).toEqual([150, 100, 'n0']);
  });
});

describe('What a gate stores', () => {
  const LIST = held([
    page([
      session('1', 'p', NOON, NOON + HOUR, NOON + 7),
      subscription('2', 'p', [NOON, NOON + HOUR], [NOON + 2 * HOUR, null]),
      ...Array.from({ length: 1_100 }, (_, index) => session(`n${index}`, `q${index}`, NOON, NOON + HOUR)),
    ]),
  ]);

  async function stored(list: HeldList): Promise<string> {
    let text = '';
    for await (const piece of storedForm({ list, serviceAheadMs: -7_200_000 })) text += piece;
    return text;
  }

  it('is read as it was', async () => {
    const text = await stored(LIST);
    for (const size of [1_000, text.length]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
        text.slice(index * size, (index + 1) * size),
      );
      const kept = await readStoredForm(pieces);
      expect(kept?.serviceAheadMs).toBe(-7_200_000);
      expect(kept?.list.facts).toEqual(LIST.facts);
      expect([kept?.list.cursor, kept?.list.fullAsOf]).toEqual([LIST.cursor, LIST.fullAsOf]);
      expect([...(kept?.list.entries() ?? [])]).toEqual([...LIST.entries()]);
    }
  });

  it('still says what could not be read', async () => {
    const bad = (id: string | null): ListChange => ({ type: 'unreadable', id });
    const kept = await readStoredForm([
      await stored(held([page([bad('x'), bad(null), bad('y'), bad(null)])])),
    ]);
    expect(kept?.list.unreadable).toEqual({ count: 4, ids: ['x', 'y'] });
  });

  it('counts for nothing when it is cut short, or more follows', async () => {
    const text = await stored(held([page([session('1', 'p', NOON, NOON + HOUR)])]));
    for (let length = 0; length < text.length - 1; length++) {
      expect(await readStoredForm([text.slice(0, length)])).toBeNull();
    }
    expect(await readStoredForm([text, text])).toBeNull();
    expect(await readStoredForm([])).toBeNull();
  });
});
