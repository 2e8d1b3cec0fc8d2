import { describe, expect, it } from 'vitest';
import {
  afterAnswer,
  afterFailure,
  afterProbe,
  asksFirst,
  type Circuit,
  CLOSED,
  isProbeDue,
  probing,
} from '../../clients/client/gate/circuit.ts';

const SETTINGS = { failuresToOpen: 3, probeEveryMs: 5_000 };
const open = (probeAt: number): Circuit => ({ state: 'open', probeAt });
const closed = (failures: number): Circuit => ({ state: 'closed', failures });
const TRIAL: Circuit = { state: 'trial' };

describe('The circuit', () => {
  it.each<[string, Circuit, Circuit]>([
    ['counts a first failure', CLOSED, closed(1)],
    ['counts a second', closed(1), closed(2)],
    ['opens with the third, and is to be probed an interval later', closed(2), open(6_000)],
    ['opens again with the first failure of a trial', TRIAL, open(6_000)],
    ['stays open, and its probe stays due, when an older question fails late', open(2_000), open(2_000)],
  ])('%s', (_, before, after) => {
    expect(afterFailure(before, 1_000, SETTINGS)).toEqual(after);
  });

  it('forgets its failures with an answer, whatever state it is in', () => {
    expect(afterAnswer()).toEqual(CLOSED);
  });

  it('lets drivers wait for the service unless it is open', () => {
    expect([CLOSED, closed(2), TRIAL, open(0)].map(asksFirst)).toEqual([true, true, true, false]);
  });

  it('is probed when it is open and the interval is over, not before', () => {
    expect(isProbeDue(open(5_000), 4_999)).toBe(false);
    expect(isProbeDue(open(5_000), 5_000)).toBe(true);
    expect(isProbeDue(closed(2), 5_000)).toBe(false);
    expect(isProbeDue(TRIAL, 5_000)).toBe(false);
  });

  it('has one probe an interval', () => {
    expect(probing(open(5_000), 5_100, SETTINGS)).toEqual(open(10_100));
    expect(probing(TRIAL, 5_100, SETTINGS)).toEqual(TRIAL);
  });

  it('is tried after an answered probe', () => {
    expect(afterProbe(open(5_000))).toEqual(TRIAL);
    expect(afterProbe(closed(1))).toEqual(closed(1));
  });
});
