import { describe, expect, it } from 'vitest';
import { conclude } from '../../clients/client/gate/conclude.ts';
import type { ListEntry, ListHeader } from '../../clients/client/list/wire.ts';
import type { AccessEvent } from '../../src/domain/facility-access.ts';
import { instant } from '../../src/domain/instant.ts';
import { HEADER, HOUR, iso, MINUTE, NOON, session, subscription } from './list-lines.ts';

const SESSION = session('s', 'p', NOON, NOON + HOUR);
const SUBSCRIPTION = subscription('a', 'p', [NOON, NOON + HOUR], [NOON + 2 * HOUR, null]);
const CANCELLED = session('s', 'p', NOON, NOON + HOUR, NOON + MINUTE);

const concluded = (
  entries: readonly ListEntry[],
  event: AccessEvent,
  at: number,
  header: Partial<ListHeader> = {},
) => conclude({ ...HEADER, ...header }, entries, event, instant(at)).reasonCode;

/** The rule itself is the service's, and tested with it: here every fact of a list has to reach it. */
describe('A gate concludes from its list', () => {
  const [BY_SESSION, BY_SUBSCRIPTION] = ['VALID_PREPAID_FACILITY_SESSION', 'VALID_FACILITY_SUBSCRIPTION'];
  const [EXPIRED, NOTHING] = ['UNKNOWN_SESSION_EXPIRED', 'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT'];

  it.each<[string, ListEntry[], AccessEvent, number, string]>([
    ['a session, at its start', [SESSION], 'entry', NOON, BY_SESSION],
    ['a session, in its last millisecond', [SESSION], 'entry', NOON + HOUR - 1, BY_SESSION],
    ['a session that has ended', [SESSION], 'entry', NOON + HOUR, EXPIRED],
    ['one that a leaving car may outstay', [SESSION], 'exit', NOON + HOUR + 15 * MINUTE - 1, BY_SESSION],
    ['one that it has outstayed', [SESSION], 'exit', NOON + HOUR + 15 * MINUTE, EXPIRED],
    [
      'a session that begins in ten minutes',
      [session('s', 'p', NOON + 10 * MINUTE, NOON + HOUR)],
      'entry',
      NOON,
      BY_SESSION,
    ],
    [
      'one that begins later',
      [session('s', 'p', NOON + 10 * MINUTE + 1, NOON + HOUR)],
      'entry',
      NOON,
      'UNKNOWN_SESSION_NOT_STARTED',
    ],
    ['a session before its cancellation', [CANCELLED], 'verify', NOON + MINUTE - 1, BY_SESSION],
    ['one from its cancellation on', [CANCELLED], 'exit', NOON + MINUTE, NOTHING],
    ['a subscription', [SUBSCRIPTION], 'entry', NOON + HOUR - 1, BY_SUBSCRIPTION],
    ['one between two of its intervals', [SUBSCRIPTION], 'exit', NOON + HOUR, NOTHING],
    ['one without end', [SUBSCRIPTION], 'entry', NOON + 10 * HOUR, BY_SUBSCRIPTION],
    ['both', [SESSION, SUBSCRIPTION], 'entry', NOON, 'VALID_SESSION_AND_SUBSCRIPTION'],
    ['nothing', [], 'entry', NOON, NOTHING],
  ])('from %s', (_, entries, event, at, code) => {
    expect(concluded(entries, event, at)).toBe(code);
  });

  it.each<[string, Partial<ListHeader['facility']>, string]>([
    ['its service', { service_enabled: false }, 'UNKNOWN_FACILITY_SERVICE_DISABLED'],
    ['its plate control', { plate_control_enabled: false }, 'UNKNOWN_PLATE_CONTROL_DISABLED'],
    ['its access by subscription', { subscription_access: false }, 'UNKNOWN_SUBSCRIPTION_NOT_ALLOWED'],
  ])('nothing from a subscription while the facility has %s off', (_, settings, code) => {
    const facility = { ...HEADER.facility, ...settings };
    expect(concluded([SUBSCRIPTION], 'entry', NOON, { facility })).toBe(code);
  });

  it('nothing from a list whose time is over', () => {
    const header = { valid_until: iso(NOON + MINUTE) };
    expect(concluded([SESSION], 'entry', NOON + MINUTE - 1, header)).toBe(BY_SESSION);
    expect(concluded([SESSION], 'entry', NOON + MINUTE, header)).toBe('UNKNOWN_LIST_EXPIRED');
  });

  it('as of the list when its clock is a little behind, and nothing when it is far behind', () => {
    expect(concluded([SUBSCRIPTION], 'entry', NOON - 1)).toBe(BY_SUBSCRIPTION);
    expect(concluded([SUBSCRIPTION], 'entry', NOON - 30_000)).toBe(BY_SUBSCRIPTION);
    expect(concluded([SUBSCRIPTION], 'entry', NOON - 30_001)).toBe('UNKNOWN_CLOCK');
  });
});
