import { instant } from '../domain/instant.ts';
import type { RecordedSubscription, SubscriptionChange } from './recorded.ts';
import type { SubscriptionRecord } from './subscription-record.ts';
import type { SharedPageRow, SharedRow, SpanRow } from './subscription-versions-parts.ts';

/** A change of a subscription, as a plate of it is told. */
export interface ToldChange {
  readonly municipalityId: number;
  /** The subscription's. */
  readonly id: number;
  readonly change: SubscriptionChange;
  /** About how large it is. */
  readonly bytes: number;
}

/** Where a plate's subscriptions are to be read on: the first subscription, and the first instant of it. */
export interface SubscriptionPosition {
  readonly id: number;
  readonly at: number;
}

/** A page of a plate's subscriptions. */
export interface SubscriptionChanges {
  /** In the order of the subscriptions, and of time. */
  readonly changes: readonly ToldChange[];
  /** Where it goes on; null where that was all. */
  readonly next: SubscriptionPosition | null;
}

/** The most of a page, as its statements had them. */
interface PageMax {
  readonly subscriptions: number;
  readonly versions: number;
}

/**
 * What became of the plate's subscriptions: a change at each instant at which one of its spans, or what they share, became
 * another, while the plate was on it; and one where it left.
 *
 * @param spans all of these subscriptions
 * @param rows of the page that begins at `from`
 */
export function subscriptionChanges(
  spans: readonly SpanRow[],
  rows: readonly SharedPageRow[],
  from: SubscriptionPosition,
  max: PageMax,
): SubscriptionChanges {
  const shared = rows.filter((row) => row.id !== null);
  const byId = Map.groupBy(shared, ({ id }) => id);
  const spansById = Map.groupBy(spans, ({ id }) => id);
  const changes = [...byId].flatMap(([id, versions]) =>
    changesOf(spansById.get(id) ?? [], versions, id === from.id ? from.at : 0),
  );
  const [first] = rows;
  const last = shared.at(-1);
  const isAll =
    shared.length === first?.versions &&
    first.versions <= max.versions &&
    first.subscriptions < max.subscriptions;
  return { changes, next: isAll || last === undefined ? null : behind(last) };
}

/** Where a version ends, there the next one begins. */
const behind = ({ id, replaced_at }: SharedRow): SubscriptionPosition =>
  replaced_at === null ? { id: id + 1, at: 0 } : { id, at: replaced_at };

function changesOf(
  spans: readonly SpanRow[],
  versions: readonly SharedRow[],
  from: number,
): ToldChange[] {
  const calls = new Map<number, string | null>();
  for (const { recorded_at, recorded_by, replaced_at, replaced_by } of spans) {
    calls.set(recorded_at, recorded_by);
    if (replaced_at !== null) calls.set(replaced_at, replaced_by);
  }
  for (const { recorded_at, recorded_by } of versions) calls.set(recorded_at, recorded_by);
  const left = new Set(spans.map(({ replaced_at }) => replaced_at));
  const toCome = spans.toSorted((one, other) => one.recorded_at - other.recorded_at);
  const found: ToldChange[] = [];
  let own: SpanRow[] = [];
  let [come, version] = [0, 0];
  const parts = new Map<SharedRow, Omit<RecordedSubscription, 'plates'>>();
  for (const at of [...calls.keys()].sort((one, other) => one - other)) {
    own = own.filter(({ replaced_at }) => replaced_at === null || at < replaced_at);
    for (let next = toCome[come]; next !== undefined && next.recorded_at <= at; next = toCome[come]) {
      if (next.replaced_at === null || at < next.replaced_at) own.push(next);
      come += 1;
    }
    while (isOver(versions[version], at)) version += 1;
    const shared = versions[version];
    const isOn = own.length > 0;
    if (shared === undefined || at < shared.recorded_at || at < from || !(isOn || left.has(at))) {
      continue;
    }
    const part = parts.get(shared) ?? sharedPart(shared);
    parts.set(shared, part);
    found.push({
      ...{ municipalityId: shared.municipality_id, id: shared.id, bytes: shared.bytes },
      change: {
        kind: 'subscription',
        sourceCode: null,
        key: shared.number,
        recordedAt: instant(at),
        requestId: calls.get(at) ?? null,
        record: isOn ? { ...part, plates: platesOf(own) } : null,
      },
    });
  }
  return found;
}

const isOver = (version: SharedRow | undefined, at: number): boolean =>
  version !== undefined && version.replaced_at !== null && version.replaced_at <= at;

/** What the plates of a version share, made once for all of its changes. */
function sharedPart({ number, record }: SharedRow): Omit<RecordedSubscription, 'plates'> {
  // The shape is that of the statement, and of what imports keep.
  const shared = JSON.parse(record) as SubscriptionRecord;
  return {
    subscription_number: number,
    type: shared.type,
    approval: shared.approval,
    authorized_from: shared.authorized_from ?? null,
    authorized_until: shared.authorized_until ?? null,
    areas: shared.areas,
    suspended_from: shared.suspended_from ?? null,
    suspended_until: shared.suspended_until ?? null,
    revoked_at: shared.revoked_at ?? null,
    revision: shared.revision ?? null,
    periods: shared.periods.map(([starts_at, ends_at]) => ({ starts_at, ends_at })),
  };
}

function platesOf(spans: readonly SpanRow[]): RecordedSubscription['plates'] {
  const order = ({ valid_from, valid_until }: SpanRow): string => `${valid_from} ${valid_until}`;
  return spans
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    .map(({ valid_from, valid_until }) => ({ valid_from, valid_until }));
}
