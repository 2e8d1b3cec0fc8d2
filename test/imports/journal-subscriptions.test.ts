import { describe, expect, it } from 'vitest';
import { journaledCity, journalOf, ROW } from './journal-support.ts';
import { aSubscriptionLine } from './support.ts';

const record = {
  subscription_number: 'R-1',
  type: 'RES',
  plates: [{ valid_from: null, valid_until: null }],
  approval: 'approved',
  authorized_from: null,
  authorized_until: null,
  areas: ['S1'],
  suspended_from: null,
  suspended_until: null,
  revoked_at: null,
  revision: null,
  periods: [{ starts_at: Date.UTC(2026, 1, 28, 23), ends_at: Date.UTC(2026, 2, 31, 22) }],
};
const row = {
  ...ROW,
  kind: 'subscription',
  source_code: null,
  key: 'R-1',
  area_id: null,
  record,
};

const { subscriptions } = journaledCity();

describe('The journal of subscriptions', () => {
  it('has a row for each plate, with that plate’s own entries alone', async () => {
    await subscriptions(
      aSubscriptionLine({
        plates: [
          { plate: 'B', valid_until: '2026-03-01T00:00:00Z' },
          { plate: 'A' },
          { plate: 'B', valid_from: '2026-04-01T00:00:00Z' },
        ],
        areas: 'all',
        revision: 7,
      }),
    );
    expect(await journalOf('subscription')).toEqual([
      { ...row, plate: 'A', record: { ...record, areas: 'all', revision: 7 } },
      {
        ...row,
        plate: 'B',
        record: {
          ...record,
          areas: 'all',
          revision: 7,
          plates: [
            { valid_from: Date.UTC(2026, 3, 1), valid_until: null },
            { valid_from: null, valid_until: Date.UTC(2026, 2, 1) },
          ],
        },
      },
    ]);
  });

  it('has a row for every plate before or after a change, without a record for one that has left', async () => {
    await subscriptions(aSubscriptionLine({ plates: [{ plate: 'A' }, { plate: 'B' }] }));
    await subscriptions(aSubscriptionLine({ plates: [{ plate: 'B' }, { plate: 'C' }], revision: 3 }));
    const now = { ...record, revision: 3 };
    expect((await journalOf('subscription')).slice(2)).toEqual([
      { ...row, plate: 'A', record: null },
      { ...row, plate: 'B', record: now },
      { ...row, plate: 'C', record: now },
    ]);
  });

  it.each([
    { approval: 'pending' },
    { authorized_from: '2026-03-01T00:00:00Z' },
    { suspended_from: '2026-03-01T00:00:00Z' },
    { revoked_at: '2026-03-01T00:00:00Z' },
    { revision: 1 },
    { areas: 'all' },
    { areas: ['P1'] },
    { areas: ['P1', 'S1'] },
    { plates: [{ plate: 'AB123CD', valid_from: '2026-03-01T00:00:00Z' }] },
    { periods: [] },
  ])('has a row for a change of %o, and none for the same again', async (change) => {
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine(change));
    await subscriptions(aSubscriptionLine(change));
    expect(await journalOf('subscription')).toHaveLength(2);
  });
});
