import type { Instant } from '../../domain/instant.ts';
import { type ListEntry, sessionEntry, subscriptionEntry, writableEntry } from '../../domain/list-entry.ts';
import type { ParkingSession } from '../../domain/parking-session.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { SpanKey } from './cursor.ts';
import type { ListedFacility, ListMunicipality } from './facility-table.ts';

/** What the id of a right is made of; never its plate. */
export type Right = readonly (string | number)[];

/** One line of an answer: the entry of a right, or its removal. */
export interface ListedChange {
  readonly right: Right;
  readonly entry: ListEntry | null;
}

/** The facility of a list, with what its entries depend on apart from the rights themselves. */
export interface ListScope {
  readonly municipality: ListMunicipality;
  readonly facility: ListedFacility;
}

/** A right as the database holds it. */
export type StoredRight =
  | { readonly kind: 'session'; readonly session: StoredSession }
  | { readonly kind: 'subscription'; readonly subscription: Subscription };

export type StoredSession = Pick<
  ParkingSession,
  'plate' | 'sourceCode' | 'startsAt' | 'endsAt' | 'cancelledAt'
>;

export const sessionRight = (municipalityId: number, sourceCode: string, sessionId: string): Right => [
  'session',
  municipalityId,
  sourceCode,
  sessionId,
];

export const subscriptionRight = (municipalityId: number, number: string, span: SpanKey): Right => [
  'subscription',
  municipalityId,
  number,
  ...span,
];

/** Orders the spans of plates on a subscription. */
export const bySpan = ([recordedAt, id]: SpanKey, [otherRecordedAt, otherId]: SpanKey): number =>
  recordedAt - otherRecordedAt || id - otherId;

function wholeEntryOf(
  stored: StoredRight,
  { municipality, facility }: ListScope,
  asOf: Instant,
): ListEntry | null {
  switch (stored.kind) {
    case 'session': {
      const { session } = stored;
      const openSessionMaxHours = municipality.openSessionMaxHours.get(session.sourceCode);
      if (openSessionMaxHours === undefined) {
        throw new Error(
          `a session has the source ${session.sourceCode}, which its municipality does not have`,
        );
      }
      return sessionEntry({ ...session, openSessionMaxHours }, asOf);
    }
    case 'subscription':
      return municipality.subscriptionsEnabled
        ? subscriptionEntry(stored.subscription, facility.code, asOf)
        : null;
    default:
      return stored satisfies never;
  }
}

/** The entry of a right in the list as of an instant. Null for a pseudonym: no list has one. */
export function listedEntryOf(stored: StoredRight, scope: ListScope, asOf: Instant): ListEntry | null {
  const entry = writableEntry(wholeEntryOf(stored, scope, asOf), scope.municipality.timeZone);
  return entry !== null && isPlate(entry.plate) ? entry : null;
}

/** Normalization leaves a plate as it is, and never yields a pseudonym. */
const isPlate = (plate: Plate): boolean => normalizePlate(plate) === plate;
