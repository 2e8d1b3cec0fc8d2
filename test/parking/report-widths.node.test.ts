import { describe, expect, it } from 'vitest';
import { widthsFor } from '../../clients/parking/views/report-widths.ts';

/** Four numbers, and six gaps of two between seven columns. */
const NUMBERS = 42;
const GAPS = 12;

describe('The columns of a report', () => {
  it.each([80, 100, 120])('fit a window of %i columns, whatever the codes and names', (columns) => {
    for (const code of [2, 18, 64]) {
      for (const name of [4, 18, 200]) {
        const widths = widthsFor({ code, name }, NUMBERS, columns);
        expect(widths.code + widths.name + widths.bar + NUMBERS + GAPS).toBeLessThanOrEqual(columns);
      }
    }
  });

  it('shorten the name first, the code last', () => {
    expect(widthsFor({ code: 18, name: 25 }, NUMBERS, 100)).toEqual({ code: 18, name: 12, bar: 16 });
    expect(widthsFor({ code: 10, name: 25 }, NUMBERS, 80)).toEqual({ code: 10, name: 8, bar: 8 });
    expect(widthsFor({ code: 18, name: 25 }, NUMBERS, 80)).toEqual({ code: 12, name: 8, bar: 6 });
  });

  it('leave a code whole where nobody looks at a window', () => {
    expect(widthsFor({ code: 64, name: 20 }, NUMBERS, Infinity)).toEqual({ code: 64, name: 20, bar: 16 });
  });
});
