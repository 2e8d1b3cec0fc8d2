import { describe, expect, it } from 'vitest';
import { orderOf, type PartOrder, type SentPart, type TakenParts } from '../../src/domain/restore-order.ts';

describe('A part of a backup that is sent', () => {
  const sent = (more: Partial<SentPart>): SentPart => ({
    ...{ id: 'mine', number: 3, after: 'a2', digest: 'd3', ...more },
  });
  const taken = (more: Partial<TakenParts> = {}): TakenParts => ({
    ...{ id: 'mine', parts: 2, after: 'a2', isWhole: false, part: null, ...more },
  });

  it.each<[what: string, part: SentPart, known: TakenParts | null, order: PartOrder]>([
    ['the first, of a restore that is not begun', sent({ number: 1, after: null }), null, 'take'],
    ['the second, of a restore that is not begun', sent({ number: 2 }), null, 'not_begun'],
    ['the next', sent({}), taken(), 'take'],
    ['the next, some of which is stored', sent({}), taken({ part: { digest: 'd3' } }), 'take'],
    ['another next, some of which is stored', sent({}), taken({ part: { digest: 'd' } }), 'not_the_same'],
    ['the one that was taken last', sent({ number: 2, after: 'a1' }), taken(), 'taken'],
    ['one of long ago', sent({ number: 1, after: null }), taken(), 'taken'],
    ['one of long ago, of a whole backup', sent({ number: 1 }), taken({ isWhole: true }), 'whole'],
    ['the last, of a whole backup', sent({ number: 2 }), taken({ isWhole: true }), 'whole'],
    ['the next but one', sent({ number: 4, after: 'a3' }), taken(), 'not_next'],
    ['the next but one, behind the one that was taken last', sent({ number: 4 }), taken(), 'not_next'],
    ['the next by its number, behind another', sent({ after: 'b2' }), taken(), 'not_next'],
    ['the next of another backup', sent({ id: 'other' }), taken(), 'other_backup'],
    ['the first of another backup', sent({ id: 'other', number: 1, after: null }), taken(), 'other_backup'],
    [
      'of another backup, behind a whole one',
      sent({ id: 'other' }),
      taken({ isWhole: true }),
      'other_backup',
    ],
  ])('is judged: %s', (_, part, known, order) => {
    expect(orderOf(part, known)).toBe(order);
  });
});
