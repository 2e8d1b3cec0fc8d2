import { describe, expect, it } from 'vitest';
import { conclude } from '../../clients/client/gate/conclude.ts';
import type { ListEntry, ListHeader } from '../../clients/client/list/wire.ts';
import type { AccessEvent } from '../../src/domain/facility-access.ts';
import { instant } from '../../src/domain/instant.ts';
import { HEADER, HOUR, iso, MINUTE, NOON, session, subscription } from './list-lines.ts';

const SESSION = session('s', 'p', NOON, NOON + HOUR);
const SUBSCRIPTION = subscription('a', 'p', [NOON, NOON + HOUR], [NOON + 2 * HOUR, null]);

const concluded = (
  entries: readonly ListEntry[],
  event: AccessEvent,
  at: number,
  header: Partial<ListHeader> = {},
) => conclude({ ...HEADER, ...header }, entries, event, instant(at)).reasonCode;

/** The rule itself is the service's, and tested with it; the vectors hold that every fact of a list reaches it. */
describe('A gate concludes from its list', () => {
  const [BY_SESSION, BY_SUBSCRIPTION] = ['VALID_PREPAID_FACILITY_SESSION', 'VALID_FACILITY_SUBSCRIPTION'];

  it.each<[string, ListEntry[], AccessEvent, number, string]>([
    ['a session', [SESSION], 'entry', NOON, BY_SESSION],
    ['one that has ended', [SESSION], 'entry', NOON + HOUR, 'UNKNOWN_SESSION_EXPIRED'],
    ['a subscription', [SUBSCRIPTION], 'entry', NOON + HOUR - 1, BY_SUBSCRIPTION],
    ['both', [SESSION, SUBSCRIPTION], 'entry', NOON, 'VALID_SESSION_AND_SUBSCRIPTION'],
    ['nothing', [], 'entry', NOON, 'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT'],
  ])('from %s, with the reason', (_, entries, event, at, code) => {
    expect(concluded(entries, event, at)).toBe(code);
  });

  it('nothing while the service of its facility is off', () => {
    const facility = { ...HEADER.facility, service_enabled: false };
    expect(concluded([SESSION], 'entry', NOON, { facility })).toBe('UNKNOWN_FACILITY_SERVICE_DISABLED');
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
