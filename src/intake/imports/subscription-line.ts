import type { core } from 'zod';
import type { Instant } from '../../domain/instant.ts';
import type { HeldPeriods } from '../../domain/paid-periods.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { customIssue } from '../../serving/http/validation.ts';
import {
  CHOICE_FIELDS,
  INSTANT_FIELDS,
  mapFields,
  SUBSCRIPTION_FIELDS,
  type ValuesByColumn,
} from '../../storage/db/subscription-fields.ts';
import { MAX_ITEMS, subscriptionLine } from './contract.ts';
import { type Reading, rejectShape, rejectValues, type WrongValue } from './rejection.ts';

/**
 * A subscription as its office reports it, and as it is stored. Its lists are sorted and have no repetitions, so that two
 * with the same content are equal.
 */
export interface SubscriptionRow extends HeldPeriods, ValuesByColumn<Instant | null> {
  /** Unique in the municipality. */
  readonly subscriptionNumber: string;
  readonly typeId: number;
  readonly revision: number | null;
  readonly plates: readonly PlateValidity[];
  /** Ids. */
  readonly areas: 'all' | readonly number[];
}

/** Its values but for its lists, in the order in which statements take them. */
export const SUBSCRIPTION_VALUES = [
  'subscriptionNumber',
  'typeId',
  ...SUBSCRIPTION_FIELDS.map(({ column }) => column),
  'revision',
] as const satisfies readonly (keyof SubscriptionRow)[];

export interface PlateValidity {
  readonly plate: Plate;
  readonly validFrom: Instant | null;
  readonly validUntil: Instant | null;
}

/** The ids of a line's codes in the municipality. */
export interface SubscriptionCodes {
  readonly types: ReadonlyMap<string, number>;
  /** Inactive ones too. */
  readonly areas: ReadonlyMap<string, number>;
}

/** All required properties of a subscription, each as short as possible. */
export const SHORTEST_SUBSCRIPTION_LINE =
  '{"subscription_number":"1","type":"1","plates":[],"approval":"pending","areas":"all","periods":[]}'.length;

/**
 * A plate's history repeats all periods and areas of its subscription, and a gate's list the periods: one line must not
 * fill them.
 */
const MAX_TOGETHER_WITH_PLATES = 5_000;

/** The lists that are repeated for each plate, and the issue of a list that is too long. */
const REPEATED = [
  ['periods', tooManyTogether('periods', 'periodi')],
  ['areas', tooManyTogether('areas', 'aree')],
] as const;

function tooManyTogether(list: string, italian: string) {
  return customIssue({
    en: `plates × ${list} must be at most ${MAX_TOGETHER_WITH_PLATES}`,
    it: `devono essere così pochi che il numero di targhe per quello di ${italian} sia al massimo ${MAX_TOGETHER_WITH_PLATES}`,
  });
}

/**
 * Finds a list with too many items, by itself or together with another list. Zod would first check each item and keep its
 * issues, and a line has room for a hundred thousand items.
 */
function overlongList(line: object): core.$ZodIssue | null {
  const lists: Partial<Record<string, unknown>> = { ...line };
  for (const [name, maximum] of Object.entries(MAX_ITEMS)) {
    const input = lists[name];
    if (Array.isArray(input) && input.length > maximum) {
      return { code: 'too_big', origin: 'array', maximum, input, path: [name], message: '' };
    }
  }
  const plates = Array.isArray(lists.plates) ? lists.plates.length : 0;
  for (const [name, params] of REPEATED) {
    const input = lists[name];
    if (Array.isArray(input) && plates * input.length > MAX_TOGETHER_WITH_PLATES) {
      return { code: 'custom', params, input, path: [name], message: '' };
    }
  }
  return null;
}

/** Reads a line of a subscription import. */
export function readSubscriptionLine(value: object, codes: SubscriptionCodes): Reading<SubscriptionRow> {
  const overlong = overlongList(value);
  if (overlong !== null) {
    return rejectShape(() => [overlong]);
  }
  const parsed = subscriptionLine.safeParse(value);
  if (!parsed.success) {
    return rejectShape(() => parsed.error.issues);
  }
  const line = parsed.data;
  const wrong: WrongValue[] = [];
  const plates = [];
  for (const [index, entry] of line.plates.entries()) {
    const normalPlate = normalizePlate(entry.plate);
    if (normalPlate === null) {
      wrong.push({ code: 'INVALID_PLATE', path: `plates.${index}.plate` });
    } else {
      plates.push({ plate: normalPlate, validFrom: entry.valid_from, validUntil: entry.valid_until });
    }
  }
  const typeId = codes.types.get(line.type);
  if (typeId === undefined) wrong.push({ code: 'SUBSCRIPTION_TYPE_NOT_FOUND', path: 'type' });
  const areaCodes = line.areas === 'all' ? [] : line.areas;
  const areaIds = [];
  for (const [index, areaCode] of areaCodes.entries()) {
    const areaId = codes.areas.get(areaCode);
    if (areaId === undefined) wrong.push({ code: 'AREA_NOT_FOUND', path: `areas.${index}` });
    else areaIds.push(areaId);
  }
  if (typeId === undefined || wrong.length > 0) return rejectValues(wrong);
  return {
    row: inOrder({
      subscriptionNumber: line.subscription_number,
      typeId,
      ...mapFields(CHOICE_FIELDS, 'column', ({ name }) => line[name]),
      ...mapFields(INSTANT_FIELDS, 'column', ({ name }) => line[name]),
      revision: line.revision,
      plates,
      periods: line.periods.map(({ starts_at, ends_at }) => ({
        startsAt: starts_at,
        endsAt: ends_at,
        paidBy: null,
      })),
      withdrawn: [],
      areas: line.areas === 'all' ? 'all' : areaIds,
    }),
  };
}

/**
 * The subscription with its lists sorted and without repetitions. A plate's validities may overlap: it is on the
 * subscription during any of them.
 */
export function inOrder(row: SubscriptionRow): SubscriptionRow {
  return {
    ...row,
    plates: sortedOnce(row.plates, (p) => `${p.plate} ${p.validFrom} ${p.validUntil}`),
    periods: row.periods.toSorted((a, b) => a.startsAt - b.startsAt),
    areas: row.areas === 'all' ? 'all' : [...new Set(row.areas)].sort((a, b) => a - b),
  };
}

function sortedOnce<Item>(items: readonly Item[], nameOf: (item: Item) => string): Item[] {
  const byName = new Map(items.map((item) => [nameOf(item), item]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
