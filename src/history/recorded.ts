import type { APPROVALS } from '../db/schema/subscriptions.ts';
import type { Instant } from '../domain/instant.ts';

/** What a row of the journal records of a session: the session as it stood after the change. Instants are milliseconds. */
export interface RecordedSession {
  readonly session_id: string;
  readonly plate: string;
  readonly area_code: string;
  readonly starts_at: number;
  readonly ends_at: number | null;
  readonly cancelled_at: number | null;
  readonly revision: number | null;
}

/** Likewise of a subscription, seen from one of its plates: no other plate of it is there. */
export interface RecordedSubscription {
  readonly subscription_number: string;
  readonly type: string;
  /** When that plate is on it. */
  readonly plates: readonly { readonly valid_from: number | null; readonly valid_until: number | null }[];
  readonly approval: (typeof APPROVALS)[number];
  readonly authorized_from: number | null;
  readonly authorized_until: number | null;
  /** Codes. */
  readonly areas: 'all' | readonly string[];
  readonly suspended_from: number | null;
  readonly suspended_until: number | null;
  readonly revoked_at: number | null;
  readonly revision: number | null;
  readonly periods: readonly { readonly starts_at: number; readonly ends_at: number }[];
}

/** How a session's record is written: the rest is in the row. */
type SessionTuple = readonly [
  area_code: string,
  starts_at: number,
  ends_at: number | null,
  cancelled_at?: number | null,
  revision?: number | null,
];

/** How a session was recorded: as a list, or by earlier versions as the object. */
export function recordedSession(
  json: string,
  { key, plate }: { readonly key: string; readonly plate: string },
): RecordedSession {
  // The shape is that of the import's statement.
  const stored = JSON.parse(json) as SessionTuple | RecordedSession;
  if (!isList(stored)) {
    return stored;
  }
  const [area_code, starts_at, ends_at, cancelled_at = null, revision = null] = stored;
  return { session_id: key, plate, area_code, starts_at, ends_at, cancelled_at, revision };
}

/** The fields of a subscription's record, in the order in which they are written. */
export const SUBSCRIPTION_FIELDS = [
  'type',
  'approval',
  'areas',
  'plates',
  'periods',
  'authorized_from',
  'authorized_until',
  'suspended_from',
  'suspended_until',
  'revoked_at',
  'revision',
] as const satisfies readonly (keyof RecordedSubscription)[];

type Spans<From, Until> = readonly (readonly [From, Until])[];

/** How it is written. */
export type SubscriptionTuple = readonly [
  type: string,
  approval: RecordedSubscription['approval'],
  areas: RecordedSubscription['areas'],
  plates: Spans<number | null, number | null>,
  periods: Spans<number, number>,
  authorized_from: number | null,
  authorized_until: number | null,
  suspended_from: number | null,
  suspended_until: number | null,
  revoked_at: number | null,
  revision: number | null,
];

/** Likewise of a subscription. */
export function recordedSubscription(json: string, number: string): RecordedSubscription {
  // The shape is that of the import's statement.
  const stored = JSON.parse(json) as SubscriptionTuple | RecordedSubscription;
  if (!isList(stored)) {
    return stored;
  }
  const [type, approval, areas, plates, periods, ...rest] = stored;
  const [authorized_from, authorized_until, suspended_from, suspended_until, revoked_at, revision] = rest;
  return {
    subscription_number: number,
    type,
    plates: plates.map(([valid_from, valid_until]) => ({ valid_from, valid_until })),
    approval,
    authorized_from,
    authorized_until,
    areas,
    suspended_from,
    suspended_until,
    revoked_at,
    revision,
    periods: periods.map(([starts_at, ends_at]) => ({ starts_at, ends_at })),
  };
}

const isList = <List extends readonly unknown[]>(stored: List | object): stored is List =>
  Array.isArray(stored);

interface Recorded {
  readonly recordedAt: Instant;
  /** The import that brought it; null for what was stored before the journal began. */
  readonly requestId: string | null;
  /** The session's id, or the subscription's number. */
  readonly key: string;
}

/** A change of a session. Its record is null where the plate has left it. */
export interface SessionChange extends Recorded {
  readonly kind: 'parking_session';
  readonly sourceCode: string;
  /** The code of the area that the session left, where it moved. */
  readonly leftAreaCode: string | null;
  readonly record: RecordedSession | null;
}

/** A change of a subscription. Its record is null where the plate has left it. */
export interface SubscriptionChange extends Recorded {
  readonly kind: 'subscription';
  readonly sourceCode: null;
  readonly record: RecordedSubscription | null;
}

/** One row of a plate's history. */
export type Change = SessionChange | SubscriptionChange;

/** Identifies the session or subscription that a row is about. */
export const subjectOf = ({ kind, sourceCode, key }: Change): string =>
  JSON.stringify([kind, sourceCode, key]);
