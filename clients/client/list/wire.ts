import { type Instant, parseInstant } from '../../../src/domain/instant.ts';
import type { components } from '../../types/schema.ts';
import { isObject, type JsonObject, parseObject } from '../json.ts';

type Schemas = components['schemas'];

/** The first line of a page. The description knows today's intervals alone; a later service may ask for others. */
export interface ListHeader
  extends Omit<Schemas['EntitlementListHeader'], 'refresh_after_seconds' | 'full_after_seconds'> {
  readonly refresh_after_seconds: number;
  readonly full_after_seconds: number;
}
/** A parking session of one plate. `plate` is a hash. */
export type SessionEntry = Schemas['EntitlementListSession'];
/** A subscription of one plate: when it is valid in this facility, from `as_of` on. */
export type SubscriptionEntry = Schemas['EntitlementListSubscription'];
/** An entitlement that was removed. Ignore an unknown id. */
export type Removed = Schemas['EntitlementListRemoval'];
/** The last line of a page: without it, the page was cut short. */
type ListEnd = Schemas['EntitlementListEnd'];

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
  return pageOf(
    page
      .split('\n')
      .filter((line) => line !== '')
      .map(parseObject),
  );
}

/** The page of these lines, each parsed; null for a line was no object. See {@link readListPage}. */
export function pageOf(lines: readonly (JsonObject | null)[]): ListPage | null {
  const [header, ...changes] = lines;
  const end = changes.pop();
  if (!isHeader(header) || !isEnd(end) || end.lines !== changes.length) return null;
  return changes.every(isObject) ? { header, changes: changes.map(changeOf), end } : null;
}

/** The instant that a line holds. A line in which it cannot be read is unreadable as a whole. */
export function instantOf(text: string): Instant {
  const found = parseInstant(text);
  if (found === null) throw new Error(`${text} is not an instant`);
  return found;
}

function changeOf(line: JsonObject): ListChange {
  if (isReadable(line)) return line;
  return { type: 'unreadable', id: typeof line.id === 'string' ? line.id : null };
}

const all =
  (is: (value: unknown) => boolean) =>
  (line: JsonObject, ...names: readonly string[]): boolean =>
    names.every((name) => is(line[name]));
const texts = all((value) => typeof value === 'string');
const flags = all((value) => typeof value === 'boolean');
const counts = all(Number.isInteger);
const instants = all((value) => typeof value === 'string' && parseInstant(value) !== null);
/** Instants that may be null, or missing. */
const ends = all((value) => (value ?? null) === null || instants({ value }, 'value'));

type Line = JsonObject | null | undefined;

function isHeader(line: Line): line is ListHeader & JsonObject {
  if (line?.type !== 'list' || line.version !== 1) return false;
  const { mode, plate_hash: hash, facility } = line;
  return (
    (mode === 'full' || mode === 'delta') &&
    texts(line, 'municipality_code', 'area_code') &&
    instants(line, 'as_of', 'valid_until') &&
    counts(line, 'refresh_after_seconds', 'full_after_seconds') &&
    isObject(hash) &&
    hash.algorithm === 'HMAC-SHA-256' &&
    hash.bits === 96 &&
    texts(hash, 'key_id') &&
    isObject(facility) &&
    flags(facility, 'service_enabled', 'plate_control_enabled', 'subscription_access') &&
    counts(facility, 'entry_grace_minutes', 'exit_grace_minutes')
  );
}

function isReadable(line: JsonObject): line is (ListEntry | Removed) & JsonObject {
  if (!texts(line, 'id')) return false;
  if (line.type === 'removed') return true;
  if (line.type !== 'entry' || !texts(line, 'plate')) return false;
  if (line.kind === 'session') return instants(line, 'from', 'until') && ends(line, 'cancelled_at');
  const { kind, valid } = line;
  return kind === 'subscription' && Array.isArray(valid) && valid.every(isInterval);
}

const isInterval = (value: unknown): boolean =>
  isObject(value) && instants(value, 'from') && 'until' in value && ends(value, 'until');

const isEnd = (line: Line): line is ListEnd & JsonObject =>
  line?.type === 'end' && texts(line, 'cursor') && flags(line, 'more') && counts(line, 'lines');
