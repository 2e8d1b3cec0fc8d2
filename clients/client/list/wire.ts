import { parseObject } from '../calls/judge.ts';
import { hasShape, isObject, type Shape } from '../shape.ts';

/*
 * The lines of a page. They are written here, and held to the description by a test: the generated types know the numbers
 * of today (refresh after 60 s) as the only ones there are.
 */

/** The first line of a page. Instants are ISO 8601 with an offset. */
export interface ListHeader {
  readonly type: 'list';
  readonly version: 1;
  /** `full`: a page of the whole list. `delta`: the changes since the cursor. */
  readonly mode: 'full' | 'delta';
  readonly municipality_code: string;
  readonly area_code: string;
  /** The instant that the list is true for: the same in all pages of one list. */
  readonly as_of: string;
  /** From then on the list must not be used. */
  readonly valid_until: string;
  readonly refresh_after_seconds: number;
  readonly full_after_seconds: number;
  readonly plate_hash: {
    readonly algorithm: 'HMAC-SHA-256';
    readonly bits: 96;
    /** Of the key, so that a list of another token is recognized. */
    readonly key_id: string;
  };
  readonly facility: {
    readonly service_enabled: boolean;
    readonly plate_control_enabled: boolean;
    readonly subscription_access: boolean;
    readonly entry_grace_minutes: number;
    readonly exit_grace_minutes: number;
  };
}

/** A parking session of one plate. `plate` is a hash. */
export interface SessionEntry {
  readonly type: 'entry';
  readonly id: string;
  readonly plate: string;
  readonly kind: 'session';
  readonly from: string;
  /** The effective end. */
  readonly until: string;
  /** Only for a future cancellation: from then on the session no longer counts, within any tolerance. */
  readonly cancelled_at?: string;
}

/** A subscription of one plate: when it is valid in this facility, from `as_of` on. */
export interface SubscriptionEntry {
  readonly type: 'entry';
  readonly id: string;
  readonly plate: string;
  readonly kind: 'subscription';
  readonly valid: readonly { readonly from: string; readonly until: string | null }[];
}

/** An entitlement that was removed. Ignore an unknown id. */
export interface Removed {
  readonly type: 'removed';
  readonly id: string;
}

/**
 * A line that this client cannot read, such as a kind of a newer service. The entry with its id may no longer
 * be true. Null: not even its id can be read.
 */
export interface Unreadable {
  readonly type: 'unreadable';
  readonly id: string | null;
}

export type ListEntry = SessionEntry | SubscriptionEntry;
export type ListChange = ListEntry | Removed | Unreadable;

/** The last line of a page: without it, the page was cut short. */
export interface ListEnd {
  readonly type: 'end';
  readonly cursor: string;
  readonly more: boolean;
  /** How many lines there are between header and end. */
  readonly lines: number;
}

const text = { type: 'string' };
const flag = { type: 'boolean' };
const count = { type: 'integer' };
const object = (
  properties: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

const HEADER = object({
  type: { const: 'list' },
  version: { const: 1 },
  mode: { anyOf: [{ const: 'full' }, { const: 'delta' }] },
  municipality_code: text,
  area_code: text,
  as_of: text,
  valid_until: text,
  refresh_after_seconds: count,
  full_after_seconds: count,
  plate_hash: object({ algorithm: { const: 'HMAC-SHA-256' }, bits: { const: 96 }, key_id: text }),
  facility: object({
    service_enabled: flag,
    plate_control_enabled: flag,
    subscription_access: flag,
    entry_grace_minutes: count,
    exit_grace_minutes: count,
  }),
});
const SESSION = object(
  { type: { const: 'entry' }, id: text, plate: text, kind: { const: 'session' }, from: text, until: text },
  { cancelled_at: { type: ['string', 'null'] } },
);
const SUBSCRIPTION = object({
  type: { const: 'entry' },
  id: text,
  plate: text,
  kind: { const: 'subscription' },
  valid: { type: 'array', items: object({ from: text, until: { type: ['string', 'null'] } }) },
});
const REMOVED = object({ type: { const: 'removed' }, id: text });
const READABLE = { anyOf: [SESSION, SUBSCRIPTION, REMOVED] };
const NAMED = object({ id: text });
const END = object({ type: { const: 'end' }, cursor: text, more: flag, lines: count });

/** A page with all lines between its first and its last, in order. */
export interface ListPage {
  readonly header: ListHeader;
  readonly changes: readonly ListChange[];
  readonly end: ListEnd;
}

/**
 * Reads a page. An entry that cannot be read does not spoil the others.
 *
 * @returns null when it is not one, or is incomplete: a line is missing or cut short, or its header or end is
 * of another form
 */
export function readListPage(page: string): ListPage | null {
  const lines = page.split('\n').filter((line) => line !== '');
  const header = parseObject(lines[0] ?? null);
  const end = parseObject(lines.at(-1) ?? null);
  if (!isHeader(header) || !isEnd(end) || end.lines !== lines.length - 2) return null;
  const changes: ListChange[] = [];
  for (const line of lines.slice(1, -1)) {
    const change = readChange(parseObject(line));
    if (change === null) return null;
    changes.push(change);
  }
  return { header, changes, end };
}

export function isHeader(value: unknown): value is ListHeader {
  return hasShape(value, HEADER);
}

export function isEnd(value: unknown): value is ListEnd {
  return hasShape(value, END);
}

/**
 * Reads a line between header and end; null for anything but a JSON object: the page was damaged in transit.
 */
export function readChange(value: unknown): ListChange | null {
  if (isReadable(value)) return value;
  return isObject(value) ? { type: 'unreadable', id: isNamed(value) ? value.id : null } : null;
}

function isReadable(value: unknown): value is ListEntry | Removed {
  return hasShape(value, READABLE);
}

function isNamed(value: unknown): value is { readonly id: string } {
  return hasShape(value, NAMED);
}
