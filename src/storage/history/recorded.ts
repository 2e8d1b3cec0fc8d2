import type { Instant } from '../../domain/instant.ts';
import type { ValuesByName } from '../db/subscription-fields.ts';

/** A version of a session. Instants are in milliseconds. */
export interface RecordedSession {
  readonly session_id: string;
  readonly plate: string;
  readonly area_code: string;
  readonly starts_at: number;
  readonly ends_at: number | null;
  readonly cancelled_at: number | null;
  readonly revision: number | null;
}

/** A version of a subscription as seen from one plate: its other plates are left out. Instants are in milliseconds. */
export interface RecordedSubscription extends ValuesByName<number | null> {
  readonly subscription_number: string;
  readonly type: string;
  /** When the plate is on it. */
  readonly plates: readonly { readonly valid_from: number | null; readonly valid_until: number | null }[];
  /** Codes. */
  readonly areas: 'all' | readonly string[];
  readonly revision: number | null;
  readonly periods: readonly { readonly starts_at: number; readonly ends_at: number }[];
}

interface Recorded {
  readonly recordedAt: Instant;
  /** The call that made the change; null once its id is no longer kept. */
  readonly requestId: string | null;
  /** The session's id, or the subscription's number. */
  readonly key: string;
}

/** A change of a session. Its record is null if the plate left the session. */
export interface SessionChange extends Recorded {
  readonly kind: 'parking_session';
  readonly sourceCode: string;
  /** The code of the area that the session left; null if it did not move. */
  readonly leftAreaCode: string | null;
  readonly record: RecordedSession | null;
}

/** A change of a subscription. Its record is null if the plate left the subscription. */
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
