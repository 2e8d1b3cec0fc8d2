import { describe, expect, it } from 'vitest';
import { conclude } from '../../clients/client/gate/conclude.ts';
import { changeOf, factsOf, type HeldEntry } from '../../clients/client/gate/held-list.ts';
import type { ListChange, ListHeader } from '../../clients/client/list/wire.ts';
import { instant } from '../../src/domain/instant.ts';
import { HEADER, HOUR, iso, MINUTE, NOON, session, subscription } from './list-lines.ts';

const P = 'a-plate';
const SESSION = session('s', P, NOON, NOON + HOUR);
const SUBSCRIPTION = subscription('a', P, [NOON, NOON + HOUR]);

function concluded(
  lines: readonly ListChange[],
  event: 'entry' | 'exit' | 'verify',
  at: number,
  header: ListHeader = HEADER,
) {
  const facts = factsOf(header);
  const entries = lines.map(changeOf).filter((change): change is HeldEntry => change !== null);
  if (facts === null || entries.length < lines.length) throw new Error('a line cannot be read');
  return conclude(facts, entries, event, instant(at)).reasonCode;
}
const withFacility = (facility: Partial<ListHeader['facility']>): ListHeader => ({
  ...HEADER,
  facility: { ...HEADER.facility, ...facility },
});

describe('A gate concludes from its list', () => {
  it.each([
    ['a session, at its start', [SESSION], 'entry', NOON, 'VALID_PREPAID_FACILITY_SESSION'],
    [
      'a session, in its last millisecond',
      [SESSION],
      'entry',
      NOON + HOUR - 1,
      'VALID_PREPAID_FACILITY_SESSION',
    ],
    ['a session that has ended', [SESSION], 'entry', NOON + HOUR, 'UNKNOWN_SESSION_EXPIRED'],
    [
      'a session that has ended, for a car that leaves',
      [SESSION],
      'exit',
      NOON + HOUR + 15 * MINUTE - 1,
      'VALID_PREPAID_FACILITY_SESSION',
    ],
    [
      'a session that has ended, past the tolerance',
      [SESSION],
      'exit',
      NOON + HOUR + 15 * MINUTE,
      'UNKNOWN_SESSION_EXPIRED',
    ],
    [
      'a session that starts later, within the tolerance',
      [session('s', P, NOON + 10 * MINUTE, NOON + HOUR)],
      'entry',
      NOON,
      'VALID_PREPAID_FACILITY_SESSION',
    ],
    [
      'a session that starts later',
      [session('s', P, NOON + 10 * MINUTE + 1, NOON + HOUR)],
      'entry',
      NOON,
      'UNKNOWN_SESSION_NOT_STARTED',
    ],
    [
      'a session before its cancellation',
      [session('s', P, NOON, NOON + HOUR, NOON + MINUTE)],
      'verify',
      NOON + MINUTE - 1,
      'VALID_PREPAID_FACILITY_SESSION',
    ],
    [
      'a session from its cancellation on, in no tolerance',
      [session('s', P, NOON, NOON + HOUR, NOON + MINUTE)],
      'exit',
      NOON + MINUTE,
      'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT',
    ],
    ['a subscription', [SUBSCRIPTION], 'entry', NOON + HOUR - 1, 'VALID_FACILITY_SUBSCRIPTION'],
    [
      'a subscription that has ended: it has no tolerance',
      [SUBSCRIPTION],
      'exit',
      NOON + HOUR,
      'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT',
    ],
    [
      'a subscription between two of its intervals',
      [subscription('a', P, [NOON, NOON + HOUR], [NOON + 2 * HOUR, null])],
      'entry',
      NOON + HOUR,
      'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT',
    ],
    [
      'a subscription without end, ten hours later',
      [subscription('a', P, [NOON + 2 * HOUR, null])],
      'entry',
      NOON + 10 * HOUR,
      'VALID_FACILITY_SUBSCRIPTION',
    ],
    ['both', [SESSION, SUBSCRIPTION], 'entry', NOON, 'VALID_SESSION_AND_SUBSCRIPTION'],
    ['nothing', [], 'entry', NOON, 'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT'],
  ] as const)('from %s', (_, lines, event, at, code) => {
    expect(concluded(lines, event, at)).toBe(code);
  });

  it('nothing while the facility’s service or its plate control is off', () => {
    const off = (facility: Partial<ListHeader['facility']>) =>
      concluded([SESSION, SUBSCRIPTION], 'entry', NOON, withFacility(facility));
    expect(off({ service_enabled: false })).toBe('UNKNOWN_FACILITY_SERVICE_DISABLED');
    expect(off({ plate_control_enabled: false })).toBe('UNKNOWN_PLATE_CONTROL_DISABLED');
  });

  it('nothing from a subscription where the facility admits none', () => {
    const header = withFacility({ subscription_access: false });
    expect(concluded([SUBSCRIPTION], 'entry', NOON, header)).toBe('UNKNOWN_SUBSCRIPTION_NOT_ALLOWED');
  });

  it('nothing from a list whose time is over', () => {
    const header = { ...HEADER, valid_until: iso(NOON + MINUTE) };
    expect(concluded([SESSION], 'entry', NOON + MINUTE - 1, header)).toBe('VALID_PREPAID_FACILITY_SESSION');
    expect(concluded([SESSION], 'entry', NOON + MINUTE, header)).toBe('UNKNOWN_LIST_EXPIRED');
  });

  it('as of the list when its clock is a little behind, and nothing when it is far behind', () => {
    expect(concluded([SUBSCRIPTION], 'entry', NOON - 1)).toBe('VALID_FACILITY_SUBSCRIPTION');
    expect(concluded([SUBSCRIPTION], 'entry', NOON - 30_000)).toBe('VALID_FACILITY_SUBSCRIPTION');
    expect(concluded([SUBSCRIPTION], 'entry', NOON - 30_001)).toBe('UNKNOWN_CLOCK');
  });
});
