import { describe, expect, it } from 'vitest';
import { WaitingLine } from '../../src/base/platform/turns.ts';

const SILENT_MS = 10_000;
const [a, b, c] = [{}, {}, {}];
/** So many at once, whoever they are. */
const upTo = (most: number) => (_: object, holders: readonly object[]) => holders.length < most;

describe('A line for a slot', () => {
  it('gives it to who comes first, and then to the next', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    expect([a, b, c].map((who) => line.hasSlot(who, 0))).toEqual([true, false, false]);
    line.leave(a);
    expect([c, b].map((who) => line.hasSlot(who, 0))).toEqual([false, true]);
  });

  it('has as many slots as it was given', () => {
    const line = new WaitingLine(upTo(2), SILENT_MS);
    expect([a, b, c].map((who) => line.hasSlot(who, 0))).toEqual([true, true, false]);
    line.leave(b);
    expect([a, c].map((who) => line.hasSlot(who, 0))).toEqual([true, true]);
  });

  it('says how many are before somebody', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    for (const who of [a, b, c]) line.hasSlot(who, 0);
    expect([a, b, c].map((who) => line.countAhead(who))).toEqual([0, 1, 2]);
    line.leave(a);
    expect([b, c].map((who) => line.countAhead(who))).toEqual([0, 1]);
    expect(line.countAhead({})).toBe(0);
  });

  it('loses nothing by who leaves while waiting', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    for (const who of [a, b, c]) line.hasSlot(who, 0);
    line.leave(b);
    line.leave(a);
    expect(line.hasSlot(c, 0)).toBe(true);
  });

  it('passes the slot on once its holder has been silent for so long, and no sooner', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    line.hasSlot(a, 0);
    expect(line.hasSlot(b, SILENT_MS - 1)).toBe(false);
    expect(line.hasSlot(b, SILENT_MS)).toBe(true);
  });

  it('leaves it to a holder that shows itself, however long that takes', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    for (let nowMs = 0; nowMs < 10 * SILENT_MS; nowMs += SILENT_MS - 1) {
      expect([a, b].map((who) => line.hasSlot(who, nowMs))).toEqual([true, false]);
    }
  });

  it('leaves it to a silent holder while nobody else wants it', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    line.hasSlot(a, 0);
    expect(line.hasSlot(a, 5 * SILENT_MS)).toBe(true);
  });

  it('forgets who waits in silence: no slot passes on to somebody who is gone', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    for (const who of [a, b, c]) line.hasSlot(who, 0);
    for (const who of [a, c]) line.hasSlot(who, SILENT_MS - 1);
    line.hasSlot(c, SILENT_MS);
    line.leave(a);
    expect(line.hasSlot(c, SILENT_MS)).toBe(true);
  });

  it('puts a holder that was forgotten at its end when it comes back', () => {
    const line = new WaitingLine(upTo(1), SILENT_MS);
    line.hasSlot(a, 0);
    line.hasSlot(b, SILENT_MS);
    expect([a, b].map((who) => line.hasSlot(who, SILENT_MS))).toEqual([false, true]);
    line.leave(b);
    expect(line.hasSlot(a, SILENT_MS)).toBe(true);
  });

  it('passes over who may not have a slot together with the holders, and comes back to them first', () => {
    const line = new WaitingLine<object>(
      (who, holders) => holders.length < 2 && !(who === b && holders.includes(a)),
      SILENT_MS,
    );
    expect([a, b, c].map((who) => line.hasSlot(who, 0))).toEqual([true, false, true]);
    line.leave(a);
    expect([a, b].map((who) => line.hasSlot(who, 0))).toEqual([false, true]);
  });
});
