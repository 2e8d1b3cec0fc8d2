import { beforeAll, describe, expect, it } from 'vitest';
import type { TestCredential } from '../support/credential.ts';
import { Service } from '../support/service.ts';
import { session, subscription } from './lines.ts';
import {
  CITY_DOCUMENT,
  configure,
  Holder,
  importLines,
  issueForCity,
  SUBSCRIPTIONS,
  sessionsOf,
  takeList,
} from './support.ts';

const service = new Service();
let caller: TestCredential;

const importSessions = (...lines: readonly object[]) =>
  importLines(service, caller.headers, sessionsOf('app1'), lines);
const importSubscriptions = (...lines: readonly object[]) =>
  importLines(service, caller.headers, SUBSCRIPTIONS, lines);

/** By the clocks of Kiritimati, at +14:00, the year 9999 ends at ten o'clock. */
const [AT_NINE, AT_ELEVEN, AT_NOON] = [9, 11, 12].map(
  (hour) => `9999-12-31T${String(hour).padStart(2, '0')}:00:00Z`,
);
const LAST_SECOND = '9999-12-31T23:59:59+14:00';

beforeAll(async () => {
  await configure(service, {
    ...CITY_DOCUMENT,
    municipalities: CITY_DOCUMENT.municipalities.map((city) => ({ ...city, timezone: 'Pacific/Kiritimati' })),
  });
  caller = await issueForCity();
});

describe('In a zone at +14:00', () => {
  it('no entry ends where it begins: what is beyond the calendar is left out', async () => {
    await importSessions(
      session('before', { starts_at: AT_NINE, ends_at: AT_NOON, plate: 'FAR1' }),
      session('beyond', { starts_at: AT_ELEVEN, ends_at: AT_NOON, plate: 'FAR2' }),
      session('open', { starts_at: AT_ELEVEN, ends_at: null, plate: 'FAR3' }),
    );
    await importSubscriptions(
      subscription('beyond', { periods: [{ starts_at: AT_ELEVEN, ends_at: AT_NOON }] }),
      subscription('both', {
        periods: [
          { starts_at: '2026-01-01T00:00:00Z', ends_at: '9000-01-01T00:00:00Z' },
          { starts_at: AT_ELEVEN, ends_at: AT_NOON },
        ],
      }),
    );
    const { lines } = await takeList(service, caller.headers);
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(expect.objectContaining({ kind: 'session', until: LAST_SECOND }));
    expect(lines).toContainEqual(
      expect.objectContaining({
        kind: 'subscription',
        valid: [{ from: expect.any(String), until: '9000-01-01T14:00:00+14:00' }],
      }),
    );
  });

  it('what moves beyond the calendar is removed by the next delta, and comes back with one', async () => {
    const holder = new Holder(service, caller.headers);
    await holder.refresh();
    await importSessions(session('before', { starts_at: AT_ELEVEN, ends_at: AT_NOON, plate: 'FAR1' }));
    await holder.refresh();
    expect([holder.entries.size, holder.removed.length, holder.fullLists]).toEqual([1, 1, 1]);
    await importSessions(session('before', { starts_at: AT_NINE, ends_at: AT_ELEVEN, plate: 'FAR1' }));
    await holder.refresh();
    expect([holder.entries.size, holder.fullLists, holder.faults]).toEqual([2, 1, []]);
  });
});
