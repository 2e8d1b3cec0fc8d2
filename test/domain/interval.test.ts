import { describe, expect, it } from 'vitest';

import { instant } from '../../src/domain/instant.ts';
import { contains, overlaps, type Span } from '../../src/domain/interval.ts';

function span(from: number | null, until: number | null): Span {
  return { from: from === null ? null : instant(from), until: until === null ? null : instant(until) };
}

describe('A half-open interval', () => {
  it.each([
    [span(10, 20), 9, false],
    [span(10, 20), 10, true],
    [span(10, 20), 19, true],
    [span(10, 20), 20, false],
    [span(null, 20), -1e15, true],
    [span(null, 20), 19, true],
    [span(null, 20), 20, false],
    [span(10, null), 9, false],
    [span(10, null), 10, true],
    [span(10, null), 1e15, true],
    [span(null, null), 0, true],
    [span(0, 20), -1, false],
    [span(-20, 0), 0, false],
    [span(10, 10), 10, false],
  ])('%o contains %d: %s', (interval, at, expected) => {
    expect(contains(interval, instant(at))).toBe(expected);
  });

  it.each([
    ['apart', span(10, 20), span(30, 40), false],
    ['touching', span(10, 20), span(20, 30), false],
    ['sharing one millisecond', span(10, 21), span(20, 30), true],
    ['one within the other', span(10, 40), span(20, 30), true],
    ['equal', span(10, 20), span(10, 20), true],
    ['one without a start, touching', span(null, 20), span(20, 30), false],
    ['one without a start, overlapping', span(null, 21), span(20, 30), true],
    ['one without an end, touching', span(30, null), span(20, 30), false],
    ['one without an end, overlapping', span(29, null), span(20, 30), true],
    ['open towards each other', span(10, null), span(null, 11), true],
    ['open away from each other', span(10, null), span(null, 10), false],
    ['both without an end', span(10, null), span(500, null), true],
    ['both without a start', span(null, 10), span(null, -500), true],
    ['without any bound', span(null, null), span(0, 1), true],
  ])('overlaps another when they share an instant: %s', (_, a, b, expected) => {
    expect(overlaps(a, b)).toBe(expected);
    expect(overlaps(b, a)).toBe(expected);
  });
});
