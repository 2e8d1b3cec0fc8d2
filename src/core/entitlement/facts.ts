import type { Instant } from '../../domain/instant.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import type { Plate } from '../../domain/plate.ts';
import { unreadOf } from '../../domain/plate-bounds.ts';
import { type ResultsOf, read } from '../../storage/db/batch.ts';
import { subscriptionOf, titlesIn } from '../../storage/db/titles.ts';
import { PLACE, SESSIONS, TITLES } from './facts-table.ts';

/** What a check asks about a plate. */
export interface FactsQuery {
  readonly plate: Plate;
  readonly areaCode: string | null;
  readonly at: Instant;
}

/** The queries of a plate check. */
export const CHECK = [PLACE, SESSIONS, TITLES] as const;

/** The queries about plates, of one or several. */
export const OF_PLATES = [SESSIONS, TITLES] as const;
export type PlateRows = ResultsOf<typeof OF_PLATES>;

/** The values of {@link CHECK}, but for the area: the time may be that of several instants. */
export const valuesOf = (code: string, plates: readonly Plate[], first: Instant, last = first) => ({
  code,
  plates: JSON.stringify(plates),
  from: first - SESSION_WINDOW_MS,
  until: last + SESSION_WINDOW_MS,
});

/** The facts of a plate check 2.0, in one round trip: only rows of the plate, its municipality, area and sources. Null for an unknown municipality. */
export const readPlateFacts = async (d1: D1Database, code: string, query: FactsQuery) =>
  checkedOf(await read(d1, CHECK, checkValues(code, query)), query);

/** The same for V1, which knows no titles. */
export const readSessionFacts: typeof readPlateFacts = async (d1, code, query) => {
  const [places, sessions] = await read(d1, [PLACE, SESSIONS], checkValues(code, query));
  return checkedOf([places, sessions, []], query);
};

/** The values of {@link CHECK} for one plate. */
export const checkValues = (code: string, { plate, at, areaCode }: FactsQuery) => ({
  ...valuesOf(code, [plate], at),
  areaCode,
});

/** The facts in the rows of {@link CHECK}. */
export function checkedOf(
  [[place], ...rows]: ResultsOf<typeof CHECK>,
  { plate, areaCode }: Pick<FactsQuery, 'plate' | 'areaCode'>,
) {
  if (place === undefined) return null;
  const { sessions, ...facts } = plateFactsIn(rows)(plate);
  return {
    ...place,
    area: place.area && areaOf(place.area),
    sessions: areaCode === null ? sessions : sessions.filter(({ area }) => area.code === areaCode),
    ...facts,
  };
}

/** A municipality, with the facts of a plate, and the area asked for, if it exists. */
export type CheckedMunicipality = NonNullable<ReturnType<typeof checkedOf>>;

/** The facts of each plate in rows about several. Where they are cut off, those of all plates are: `unread` has the kinds of rows. */
export function plateFactsIn([sessions, titles]: PlateRows) {
  const unread = unreadOf(sessions.length, titles.length);
  const sessionsOf = Map.groupBy(sessions, ({ plate }) => plate);
  const titlesOf = Map.groupBy(titles, ({ plate }) => plate);
  return (plate: Plate) => ({
    sessions: (sessionsOf.get(plate) ?? []).map((row) => ({ ...row, area: areaOf(row.area) })),
    subscriptions: titlesIn(titlesOf.get(plate) ?? []).map(({ title, spans }) =>
      subscriptionOf(title, spans),
    ),
    unread,
  });
}

export type PlateFacts = ReturnType<ReturnType<typeof plateFactsIn>>;

/** The area of a row. */
export const areaOf = ({ code, name, active, areaType, ...facility }: PlateRows[0][number]['area']) => ({
  ...{ code, name, active },
  /** Null for a street. */
  facility: areaType === 'facility' ? facility : null,
});

export type Area = ReturnType<typeof areaOf>;
