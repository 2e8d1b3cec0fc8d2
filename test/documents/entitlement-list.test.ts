import { describe, expect, it } from 'vitest';
import { sessionEntry, subscriptionEntry } from '../../src/domain/list-entry.ts';
import { listLine } from '../../src/field/entitlement-list/contract.ts';
import { aSession, aSubscription } from '../domain/fixtures.ts';
import { clock, listed, named, orNone, Page, span, unique } from './page-tables.ts';

const PAGE = new Page('interface/entitlement-list');
const FACILITY = 'P1';

describe('docs/interface/entitlement-list.md says truly', () => {
  it.each(
    PAGE.rows('as_of', 'starts_at', 'ends_at', 'cancelled', 'in the list', 'from', 'until', 'cancelled_at'),
  )('the entry of a session from $starts_at to $ends_at, cancelled $cancelled', (row) => {
    const session = aSession({
      startsAt: clock(row.starts_at),
      endsAt: orNone(clock, row.ends_at),
      cancelledAt: orNone(clock, row.cancelled),
    });
    const entry = sessionEntry(session, clock(row.as_of));
    expect(entry !== null).toBe(row['in the list'] === 'yes');
    expect([row.from, row.until, row.cancelled_at].map((cell) => orNone(clock, cell))).toEqual([
      entry?.from ?? null,
      entry?.until ?? null,
      entry?.cancelledAt ?? null,
    ]);
  });

  it.each(
    named(
      PAGE.rows('as_of', 'paid periods', 'authorized', 'suspended', 'revoked', 'areas', 'valid'),
      'paid periods',
      'authorized',
      'suspended',
      'revoked',
      'areas',
    ),
  )('the entry of a subscription: %s', (_, row) => {
    const clockSpan = (cell: string) => span(cell, clock);
    const subscription = aSubscription({
      periods: listed(row['paid periods'])
        .map(clockSpan)
        .map(({ from, until }) => ({ startsAt: from, endsAt: until })),
      authorized: orNone(clockSpan, row.authorized) ?? { from: null, until: null },
      suspended: orNone(clockSpan, row.suspended),
      revokedAt: orNone(clock, row.revoked),
      areas: row.areas === 'all' ? 'all' : listed(row.areas),
    });
    const entry = subscriptionEntry(subscription, FACILITY, clock(row.as_of));
    expect(entry?.valid ?? 'no entry').toEqual(
      row.valid === 'no entry' ? 'no entry' : listed(row.valid).map(clockSpan),
    );
  });

  it('every type of line', () => {
    const types = listLine.options.map(({ shape }) => shape.type.value);
    expect(unique(PAGE.rows('type', 'means').map(({ type }) => type))).toEqual(unique(types));
  });

  it('how often to ask', () => {
    const [header] = listLine.options;
    const said = Object.fromEntries(PAGE.rows('what', 'value').map(({ what, value }) => [what, value]));
    expect(said.refresh_after_seconds).toContain(`${header.shape.refresh_after_seconds.value}:`);
    expect(said.full_after_seconds).toContain(`${header.shape.full_after_seconds.value}:`);
  });
});
