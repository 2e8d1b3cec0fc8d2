import type { EntitlementListPage, SessionEntry, SubscriptionEntry } from '../../clients/client/index.ts';
import type { ListChange, ListHeader } from '../../clients/client/list/wire.ts';

/** `2026-11-22T10:00:00Z`: when the lists of these tests are made. */
export const NOON = Date.parse('2026-11-22T10:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const iso = (ms: number): string => new Date(ms).toISOString();

export const HEADER: ListHeader = {
  type: 'list',
  version: 1,
  mode: 'full',
  municipality_code: 'H501',
  area_code: 'P1',
  as_of: iso(NOON),
  valid_until: iso(NOON + 12 * HOUR),
  refresh_after_seconds: 60,
  full_after_seconds: 86_400,
  plate_hash: { algorithm: 'HMAC-SHA-256', bits: 96, key_id: 'dc6c7e1c' },
  facility: {
    service_enabled: true,
    plate_control_enabled: true,
    subscription_access: true,
    entry_grace_minutes: 10,
    exit_grace_minutes: 15,
  },
};

export const session = (
  id: string,
  plate: string,
  from: number,
  until: number,
  cancelledAt?: number,
): SessionEntry => ({
  ...{ type: 'entry', id, plate, kind: 'session', from: iso(from), until: iso(until) },
  ...(cancelledAt !== undefined && { cancelled_at: iso(cancelledAt) }),
});

export const subscription = (
  id: string,
  plate: string,
  ...valid: readonly (readonly [number, number | null])[]
): SubscriptionEntry => ({
  ...{ type: 'entry', id, plate, kind: 'subscription' },
  valid: valid.map(([from, until]) => ({ from: iso(from), until: until === null ? null : iso(until) })),
});

export const removed = (id: string): ListChange => ({ type: 'removed', id });

export const page = (
  changes: readonly ListChange[],
  header: Partial<ListHeader> = {},
  rest: { cursor?: string; more?: boolean } = {},
): EntitlementListPage => ({
  header: { ...HEADER, ...header },
  changes,
  cursor: rest.cursor ?? 'cursor-1',
  more: rest.more ?? false,
});

/** A page as the service writes it. */
export const lines = ({ header, changes, cursor, more }: EntitlementListPage): string =>
  [header, ...changes, { type: 'end', cursor, more, lines: changes.length }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
