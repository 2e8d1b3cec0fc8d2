import type { Instant } from '../../domain/instant.ts';
import { contains } from '../../domain/interval.ts';
import type { ResultsOf } from '../../storage/db/batch.ts';
import type { PLATE_VERSIONS } from './versions-table.ts';

/** The rows of the queries. */
export type VersionRows = ResultsOf<typeof PLATE_VERSIONS>;

/** When a version was stored and replaced. */
export interface Recorded {
  readonly recordedAt: Instant;
  /** Null: it is the present one. */
  readonly replacedAt: Instant | null;
}

/** A version of one kind. Its key is a session's id, a subscription's number, or a payment's id. */
type Version<Kind extends string, Row> = Row & Recorded & { readonly kind: Kind; readonly key: string };

type TitleRow = VersionRows[2][number];
type SpanRow = VersionRows[1][number];

export type SessionVersion = Version<'parking_session', VersionRows[0][number]>;
/** A subscription as one of its plates sees it: its own columns, and the spans of that plate. */
export type SubscriptionVersion = Version<'subscription', TitleRow & { readonly spans: readonly SpanRow[] }>;
export type PaymentVersion = Version<'payment', VersionRows[3][number]>;
export type PlateVersion = SessionVersion | SubscriptionVersion | PaymentVersion;

/** Whether a version was the newest at an instant. */
export const isKnownAt = ({ recordedAt, replacedAt }: Recorded, at: Instant): boolean =>
  contains({ from: recordedAt, until: replacedAt }, at);

/** All versions of a plate, oldest first; of one instant by kind, then key. */
export function versionsOf(rows: VersionRows): PlateVersion[] {
  return [...sessionVersions(rows), ...subscriptionVersions(rows), ...paymentVersions(rows)].sort(
    (a, b) => a.recordedAt - b.recordedAt || compareText(a.kind, b.kind) || compareText(a.key, b.key),
  );
}

/** The versions of a plate's sessions. */
export const sessionVersions = ([sessions]: VersionRows): SessionVersion[] =>
  sessions.map((session) => ({ ...session, kind: 'parking_session', key: session.sessionId }));

/**
 * The versions of a plate's subscriptions. One begins at each instant at which the subscription's own columns or a span of the plate
 * changed while the plate was on it, and ends at the next, or when the plate left.
 */
export function subscriptionVersions([, spans, titles]: VersionRows) {
  const spansOf = Map.groupBy(spans, ({ subscriptionId }) => subscriptionId);
  const titlesOf = Map.groupBy(titles, ({ id }) => id);
  return [...titlesOf].flatMap(([id, versions]) => versionsOfTitle(versions, spansOf.get(id) ?? []));
}

function versionsOfTitle(titles: readonly TitleRow[], spans: readonly SpanRow[]): SubscriptionVersion[] {
  const calls = new Map<Instant, string | null>();
  for (const { replacedAt, replacedBy } of spans) if (replacedAt !== null) calls.set(replacedAt, replacedBy);
  for (const { recordedAt, requestId } of [...spans, ...titles]) calls.set(recordedAt, requestId);
  const instants = [...calls.keys()].sort((a, b) => a - b);
  const titleAt = new Map(titles.map((title) => [title.recordedAt, title]));
  const spansAt = Map.groupBy(spans, ({ recordedAt }) => recordedAt);
  let title: TitleRow | undefined;
  let own: SpanRow[] = [];
  return instants.flatMap((at, index): SubscriptionVersion[] => {
    title = titleAt.get(at) ?? title;
    own = [...own, ...(spansAt.get(at) ?? [])].filter((span) => isKnownAt(span, at));
    if (title === undefined || own.length === 0) return [];
    return [
      {
        ...{ ...title, kind: 'subscription', key: title.subscriptionNumber },
        spans: own.toSorted((a, b) => (a.validFrom ?? 0) - (b.validFrom ?? 0)),
        ...{ recordedAt: at, replacedAt: instants[index + 1] ?? null, requestId: calls.get(at) ?? null },
      },
    ];
  });
}

/** A payment has one version: a reversal ends it. */
const paymentVersions = ([, , , payments]: VersionRows): PaymentVersion[] =>
  payments.map((payment) => ({
    ...payment,
    ...{ kind: 'payment', key: payment.paymentId, replacedAt: payment.reversalRecordedAt },
  }));

const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
