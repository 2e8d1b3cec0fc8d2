import type { Instant } from '../../domain/instant.ts';
import { type Sealing, seal, unseal } from '../../serving/access/seal.ts';

/** A change of the municipality, by its instant and its call: after a restore another change may have the instant. */
export interface Mark {
  readonly recordedAt: number;
  /** The last bytes of the call's id. */
  readonly call: string;
}

/**
 * Names a plate's right on a subscription without naming the plate: the first of its spans there, by when it was recorded and
 * by its number. They also order the rights of a subscription.
 */
export type SpanKey = readonly [recordedAt: number, id: number];

/** Where a full list continues. */
export type FullPosition =
  | {
      readonly part: 'sessions' | 'open_sessions';
      /** The last row read: its end, start and id. */
      readonly after: readonly [runsUntil: number, startsAt: number, id: number];
    }
  | {
      readonly part: 'subscriptions';
      /** The last subscription read. */
      readonly number: string;
      /** The last of its plates that was read; null for all. */
      readonly span: SpanKey | null;
    };

/** Where changes continue: with the changes of an instant, from an id on. */
export interface ChangesPosition {
  readonly part: 'sessions' | 'subscriptions';
  readonly from: readonly [at: number, id: number];
  /** The last plate read of the subscription with this id; null for none. */
  readonly span: SpanKey | null;
}

/** The state that the caller may hold: each right as it was at an instant from the first to the last. */
export interface HeldBetween {
  readonly from: number;
  /** Later than `from` if something changed while pages were sent. */
  readonly to: number;
}

/** The content of a cursor: what the caller has received, and what comes next. */
export interface ListState {
  /** The instant of the list being sent, or of the last complete one. */
  readonly asOf: Instant;
  /** Later changes are still to be sent. */
  readonly since: number;
  readonly held: HeldBetween;
  /** The newest change on which the cursor depends. */
  readonly mark: Mark;
  /** A digest of the settings that change every entry at once. */
  readonly settings: string;
  readonly page:
    | null
    | { readonly of: 'full'; readonly position: FullPosition }
    /** The instant of the changes being sent; `mark` is the last change. */
    | { readonly of: 'changes'; readonly asOf: Instant; readonly position: ChangesPosition };
}

/** The list that a cursor belongs to. The token's key seals it. */
export interface CursorBinding {
  readonly municipalityId: number;
  /** Rows have other ids once the municipality has been restored. */
  readonly restoredAt: number | null;
  readonly areaId: number;
}

export const sealCursor = (state: ListState, binding: CursorBinding, sealing: Sealing): Promise<string> =>
  seal(state, boundTo(binding), sealing);

/** @returns null for a made-up cursor, or one of another token or list */
export const openCursor = async (
  cursor: string,
  binding: CursorBinding,
  sealing: Sealing,
): Promise<ListState | null> =>
  // Only this service, with this version of the key, can have sealed it.
  (await unseal(cursor, boundTo(binding), sealing)) as ListState | null;

const boundTo = ({ municipalityId, restoredAt, areaId }: CursorBinding) => [
  municipalityId,
  restoredAt ?? 'never',
  areaId,
];
