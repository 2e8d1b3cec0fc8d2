import type { Instant } from '../domain/instant.ts';
import { type ListEntry, sessionEntry, subscriptionEntry } from '../domain/list-entry.ts';
import type { ParkingSession } from '../domain/parking-session.ts';
import { normalizePlate, type Plate } from '../domain/plate.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { ListedFacility, ListMunicipality } from './facility-table.ts';

/** What makes the id of a right: never its plate. */
export type Right = readonly (string | number)[];

/** What one line tells: the entry of a right, or that there is none any more. */
export interface Told {
  readonly right: Right;
  readonly entry: ListEntry | null;
}

/** The facility of a list, with what its entries depend on beside the rights themselves. */
export interface ListPlace {
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

/** @param cameWith the row of the journal with which the plate came on the subscription */
export const subscriptionRight = (municipalityId: number, number: string, cameWith: number): Right => [
  'subscription',
  municipalityId,
  number,
  cameWith,
];

/** The entry of a right in the list as of an instant, whatever stands in its plate's place. */
export function entryOf(
  stored: StoredRight,
  { municipality, facility }: ListPlace,
  asOf: Instant,
): ListEntry | null {
  switch (stored.kind) {
    case 'session': {
      const { session } = stored;
      const openSessionMaxHours = municipality.openSessionMaxHours.get(session.sourceCode);
      if (openSessionMaxHours === undefined) {
        throw new Error(
          `a session is of the source ${session.sourceCode}, which the municipality does not have`,
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

/** The same, but for a pseudonym in a plate's place: that is in no list. */
export function listedEntryOf(stored: StoredRight, place: ListPlace, asOf: Instant): ListEntry | null {
  const entry = entryOf(stored, place, asOf);
  return entry !== null && isPlate(entry.plate) ? entry : null;
}

/** Normalization yields no pseudonym, and leaves a plate as it is. */
const isPlate = (plate: Plate): boolean => normalizePlate(plate) === plate;
