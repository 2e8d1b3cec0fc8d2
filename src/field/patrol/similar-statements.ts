import { subscriptionOf } from '../../core/entitlement/held-subscription.ts';
import { MAX_SPANS } from '../../core/entitlement/plate-subscriptions-table.ts';
import { instant, nullableInstant } from '../../domain/instant.ts';
import type { SessionTimes } from '../../domain/parking-session.ts';
import { type Plate, storedPlate } from '../../domain/plate.ts';
import { MAX_PLATE_SESSIONS, MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { Subscription } from '../../domain/subscription.ts';
import type { MunicipalitySearch } from '../../serving/lookups/municipality-choice.ts';
import { searchValues } from '../../serving/lookups/municipality-table.ts';
import { type Json, json, parsed } from '../../storage/db/json.ts';
import { batch } from '../../storage/db/statement.ts';
import {
  type HeldTuple,
  type SeenTuple,
  type SessionTuple,
  type SimilarRow,
  type SimilarSessionsTuple,
  STATEMENTS,
} from './facts-statements.ts';

/** What is known of a look-alike plate, in the areas where the original was seen. */
export interface SimilarFacts {
  readonly plate: Plate;
  readonly sessions: readonly (SessionTimes & { readonly areaCode: string })[];
  readonly subscriptions: readonly Subscription[];
  readonly isWhole: boolean;
}

/** The sessions or subscriptions of a look-alike plate; `number` says which of the seen plates it resembles. */
export interface Similar extends SimilarFacts {
  readonly kind: 'sessions' | 'subscriptions';
  readonly number: number;
}

/** How much is read of each similar plate. */
interface Most {
  readonly sessions: number;
  readonly spans: number;
  readonly subscriptions: number;
}

/** A hundred sightings have some thousands of similar plates. Nearly all are unused, but an importer may have crowded some. */
const AT_FIRST: Most = { sessions: 4, spans: 8, subscriptions: 4 };
/** Similar plates with more rows are read again, up to the limits of an ordinary plate; at most {@link MAX_READ_AGAIN} of them. */
const AGAIN: Most = {
  sessions: MAX_PLATE_SESSIONS,
  spans: MAX_SPANS,
  subscriptions: MAX_READ_SUBSCRIPTIONS,
};
const MAX_READ_AGAIN = 20;

/** What reads the plates similar to those that were seen: their sessions, and their subscriptions. */
export function similarStatements(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  seen: Json<readonly SeenTuple[]>,
  max = AT_FIRST,
) {
  const values = { ...searchValues(search), seen };
  return [
    STATEMENTS.similarSessions[search.by].prepare(db, { ...values, maxSessions: max.sessions }),
    STATEMENTS.similarSubscriptions[search.by].prepare(db, {
      ...values,
      maxSpans: max.spans,
      maxSubscriptions: max.subscriptions,
    }),
  ] as const;
}

/** What those have read. */
export const similarOf = (
  sessions: readonly SimilarRow<SimilarSessionsTuple>[],
  subscriptions: readonly SimilarRow<HeldTuple>[],
  max = AT_FIRST,
): readonly Similar[] => [
  ...sessions.map(({ number, plate, held }): Similar => {
    const [lookedAt, tuples] = parsed(held);
    const sessions = tuples.map(([session, areaCode]) => ({ ...sessionOf(session), areaCode }));
    const isWhole = lookedAt <= max.sessions;
    return { kind: 'sessions', number, plate: storedPlate(plate), isWhole, sessions, subscriptions: [] };
  }),
  ...subscriptions.map(({ number, plate: stored, held }): Similar => {
    const plate = storedPlate(stored);
    const [spans, found, tuples] = parsed(held);
    const isWhole = spans <= max.spans && found <= max.subscriptions;
    const subscriptions = tuples.map(([tuple, validIn]) => subscriptionOf(tuple, plate, validIn));
    return { kind: 'subscriptions', number, plate, isWhole, sessions: [], subscriptions };
  }),
];

/** The rows of a municipality, of those that a statement has read. */
export const rowsIn = <Row extends { readonly municipality: string }>(
  code: string,
  { results }: D1Result<Row>,
): Row[] => results.filter(({ municipality }) => municipality === code);

/** The session of a row. */
export const sessionOf = ([, startsAt, endsAt, cancelledAt, maxHours]: SessionTuple): SessionTimes => ({
  startsAt: instant(startsAt),
  endsAt: nullableInstant(endsAt),
  cancelledAt: nullableInstant(cancelledAt),
  // Read only for open-ended sessions: nothing else depends on it.
  openSessionMaxHours: maxHours ?? 0,
});

const keyOf = ({ kind, number, plate }: Similar): string => JSON.stringify([kind, number, plate]);

/** Reads some of those that were not read whole once more. What has still more, or no room among these, stays as it is. */
export async function readAgain(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  code: string,
  seen: readonly SeenTuple[],
  similar: readonly Similar[],
): Promise<readonly Similar[]> {
  const cut = similar.filter(({ isWhole }) => !isWhole).slice(0, MAX_READ_AGAIN);
  if (cut.length === 0) {
    return similar;
  }
  const tuples = cut.map(({ number, plate }): SeenTuple => {
    const [own = '', areaCodes = [], from = 0, until = 0] = seen[number] ?? [];
    return [own, areaCodes, from, until, [plate], []];
  });
  const [sessions, subscriptions] = await batch(db, similarStatements(db, search, json(tuples), AGAIN));
  const read = new Map(
    similarOf(rowsIn(code, sessions), rowsIn(code, subscriptions), AGAIN).map((item) => {
      const again = { ...item, number: cut[item.number]?.number ?? item.number };
      return [keyOf(again), again];
    }),
  );
  return similar.map((item) => (item.isWhole ? item : (read.get(keyOf(item)) ?? item)));
}
