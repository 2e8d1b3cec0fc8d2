import { instant } from '../../domain/instant.ts';
import { CHOICE_FIELDS, INSTANT_FIELDS, mapFields, type RecordedValues } from '../db/subscription-fields.ts';
import type { RecordedSubscription, SubscriptionChange } from './recorded.ts';
import type { SharedPageRow, SharedRow, SpanRow } from './subscription-versions-parts.ts';

/** The part that a subscription's plates share, as a past version stores it. Absent values are left out. */
export interface SubscriptionRecord extends RecordedValues {
  /** The code of its type. */
  readonly type: string;
  /** Codes, in order. */
  readonly areas: 'all' | readonly string[];
  /** By start. A backup has these records, so they name the payment of a paid period. */
  readonly periods: readonly (readonly [startsAt: number, endsAt: number, paidBy: string | null])[];
  readonly revision?: number | undefined;
}

/** A change of a subscription, as seen from one of its plates. */
export interface ListedChange {
  readonly municipalityId: number;
  /** The subscription's. */
  readonly id: number;
  readonly change: SubscriptionChange;
  /** An estimate of its size. */
  readonly bytes: number;
}

/** Where the next page of a plate's subscriptions begins: at an instant of a subscription. */
interface SubscriptionPosition {
  readonly id: number;
  readonly at: number;
}

/** A page of a plate's subscriptions. */
export interface SubscriptionChanges {
  /** By subscription, then by time. */
  readonly changes: readonly ListedChange[];
  /** Null on the last page. */
  readonly next: SubscriptionPosition | null;
}

/** The limits that the page's statements had. */
interface PageMax {
  readonly subscriptions: number;
  readonly versions: number;
}

/**
 * The changes of a plate's subscriptions: one at each instant at which a span of the plate or the shared part changed while
 * the plate was on the subscription, and one at which the plate left it.
 *
 * @param spans all spans of the plate on these subscriptions
 * @param shared the versions of their shared parts, a page that begins at `from`
 */
export function subscriptionChanges(
  spans: readonly SpanRow[],
  shared: readonly SharedPageRow[],
  from: SubscriptionPosition,
  max: PageMax,
): SubscriptionChanges {
  const byId = Map.groupBy(shared, ({ id }) => id);
  const spansById = Map.groupBy(spans, ({ id }) => id);
  const changes = [...byId].flatMap(([id, versions]) =>
    changesOf(spansById.get(id) ?? [], versions, id === from.id ? from.at : 0),
  );
  const last = shared.at(-1);
  const isAll =
    last === undefined ||
    (shared.length === last.versions &&
      last.versions <= max.versions &&
      last.subscriptions < max.subscriptions);
  return { changes, next: isAll ? null : positionAfter(last) };
}

/** The next version begins where this one ends. */
const positionAfter = ({ id, replaced_at }: SharedRow): SubscriptionPosition =>
  replaced_at === null ? { id: id + 1, at: 0 } : { id, at: replaced_at };

/** The changes of one subscription. */
function changesOf(spans: readonly SpanRow[], versions: readonly SharedRow[], from: number): ListedChange[] {
  const calls = callsOf(spans, versions);
  const left = new Set(spans.map(({ replaced_at }) => replaced_at));
  const toCome = spans.toSorted((one, other) => one.recorded_at - other.recorded_at).values();
  let next = toCome.next();
  let own: SpanRow[] = [];
  return instantsOf(calls, versions).flatMap(([at, version]) => {
    for (; !next.done && next.value.recorded_at <= at; next = toCome.next()) own.push(next.value);
    own = own.filter(({ replaced_at }) => replaced_at === null || at < replaced_at);
    const isOn = own.length > 0;
    if (at < from || !(isOn || left.has(at))) {
      return [];
    }
    const { municipality_id: municipalityId, id, bytes, number: key } = version.row;
    const change: SubscriptionChange = {
      ...{ kind: 'subscription', sourceCode: null, key },
      recordedAt: instant(at),
      requestId: calls.get(at) ?? null,
      record: isOn ? { ...version.part(), plates: platesOf(own) } : null,
    };
    return { municipalityId, id, bytes, change };
  });
}

/** The instants at which a span or the shared part changed, each with the id of the call that changed it. */
function callsOf(spans: readonly SpanRow[], versions: readonly SharedRow[]): Map<number, string | null> {
  const calls = new Map<number, string | null>();
  for (const { recorded_at, recorded_by, replaced_at, replaced_by } of spans) {
    calls.set(recorded_at, recorded_by);
    if (replaced_at !== null) calls.set(replaced_at, replaced_by);
  }
  for (const { recorded_at, recorded_by } of versions) calls.set(recorded_at, recorded_by);
  return calls;
}

/** A version of the shared part, parsed on first use. */
interface SharedVersion {
  readonly row: SharedRow;
  readonly part: () => Omit<RecordedSubscription, 'plates'>;
}

/** The instants in order, each with the version that held then. Leaves out instants whose version is on another page. */
function instantsOf(
  calls: ReadonlyMap<number, unknown>,
  versions: readonly SharedRow[],
): [at: number, version: SharedVersion][] {
  const instants = [...calls.keys()].sort((one, other) => one - other);
  let begin = 0;
  return versions.flatMap((row) => {
    while (isBefore(instants[begin], row.recorded_at)) begin += 1;
    let end = begin;
    while (isBefore(instants[end], row.replaced_at ?? Number.POSITIVE_INFINITY)) end += 1;
    const own = instants.slice(begin, end);
    begin = end;
    let part: Omit<RecordedSubscription, 'plates'> | undefined;
    const version: SharedVersion = {
      row,
      part: () => {
        part ??= sharedPart(row);
        return part;
      },
    };
    return own.map((at): [number, SharedVersion] => [at, version]);
  });
}

const isBefore = (at: number | undefined, bound: number): boolean => at !== undefined && at < bound;

/** Parses a version of the part that a subscription's plates share. */
export function sharedPart({
  number,
  record,
}: Pick<SharedRow, 'number' | 'record'>): Omit<RecordedSubscription, 'plates'> {
  // The shape that the statement selects and that imports store.
  const stored = JSON.parse(record) as SubscriptionRecord;
  return {
    subscription_number: number,
    type: stored.type,
    ...mapFields(CHOICE_FIELDS, 'name', ({ name }) => stored[name]),
    areas: stored.areas,
    ...mapFields(INSTANT_FIELDS, 'name', ({ name }) => stored[name] ?? null),
    revision: stored.revision ?? null,
    periods: stored.periods.map(([starts_at, ends_at]) => ({ starts_at, ends_at })),
  };
}

function platesOf(spans: readonly SpanRow[]): RecordedSubscription['plates'] {
  const order = ({ valid_from, valid_until }: SpanRow): string => `${valid_from} ${valid_until}`;
  return spans
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    .map(({ valid_from, valid_until }) => ({ valid_from, valid_until }));
}
