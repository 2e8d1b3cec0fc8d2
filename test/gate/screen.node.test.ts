import { describe, expect, it } from 'vitest';
import type { Decision, GateEvent } from '../../clients/client/gate/index.ts';
import { type Car, cars } from '../../tools/gate/cars.ts';
import { decisionRow, eventRow, summary } from '../../tools/gate/screen.ts';

const AT = new Date(2026, 10, 22, 12, 0, 5);
const CAR: Car = { plate: 'DE 201 MO', event: 'entry', story: 'a prepaid session runs' };
const BY_LIST: Decision = {
  action: 'open',
  basis: 'list',
  reasonCode: 'VALID_PREPAID_FACILITY_SESSION',
  requestId: null,
  listAsOf: new Date(2026, 10, 22, 11, 59, 30).toISOString(),
  tookMs: 1,
};

describe('The gate in a terminal', () => {
  it('shows a car, the decision, its basis and time, the list, the reason and the story', () => {
    expect(decisionRow(CAR, BY_LIST, AT)).toBe(
      [
        '12:00:05  DE 201 MO  entry  ▲ open       list        1 ms  list of 11:59:30',
        '          VALID_PREPAID_FACILITY_SESSION: a prepaid session runs',
      ].join('\n'),
    );
  });

  it.each<[GateEvent, string]>([
    [{ type: 'circuit', state: 'open', code: 'TIMED_OUT' }, 'no driver waits for it'],
    [{ type: 'circuit', state: 'closed', code: null }, 'the service is back'],
    [{ type: 'list_loaded', asOf: AT.toISOString(), entries: 3 }, '3 entries as of 12:00:05'],
    [{ type: 'clock_differs', aheadMs: 90_000 }, '90 s ahead'],
  ])('says what else happened: %o', (event, words) => {
    expect(eventRow(event, AT)).toContain(words);
  });

  it('sums up', () => {
    expect(summary([])).toBe('0 cars');
    expect(summary([BY_LIST, BY_LIST])).toBe('2 cars, 2 open by list');
  });

  it('lets the demonstration’s cars come again and again, and an unknown one', () => {
    const coming = cars();
    const first = Array.from({ length: 20 }, () => coming.next().value);
    expect(new Set(first.map(({ plate }) => plate)).size).toBe(10);
    expect(first.map(({ story }) => story)).toContain('an unknown plate');
    expect(first.every(({ plate }) => /^[A-Z]{2} \d{3} [A-Z]{2}$/.test(plate))).toBe(true);
  });
});
