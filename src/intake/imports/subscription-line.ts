import type { Instant } from '../../domain/instant.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { subscriptions } from '../../storage/db/schema/index.ts';
import { subscriptionLine } from './contract.ts';
import { type Reading, rejectShape, rejectValues, type WrongValue } from './rejection.ts';

/**
 * A subscription as its office reports it, and as it is stored. Its lists are sorted and have no repetitions, so that two with the
 * same content are equal.
 */
export interface SubscriptionRow
  extends Pick<
    typeof subscriptions.$inferSelect,
    | 'typeId'
    | 'approval'
    | 'authorizedFrom'
    | 'authorizedUntil'
    | 'areas'
    | 'suspendedFrom'
    | 'suspendedUntil'
    | 'revokedAt'
    | 'periods'
    | 'revision'
  > {
  /** Its `subscription_number`, unique in the municipality. */
  readonly key: string;
  readonly plates: readonly PlateSpan[];
}

/** A time for which a plate is on a subscription. Null: unbounded. */
type PlateSpan = readonly [plate: Plate, validFrom: Instant | null, validUntil: Instant | null];

/** The ids of a line's codes in the municipality. */
interface SubscriptionCodes {
  readonly types: ReadonlyMap<string, number>;
  /** Inactive ones too. */
  readonly areas: ReadonlyMap<string, number>;
}

/** Reads a line of a subscription import. */
export function readSubscriptionLine(value: object, codes: SubscriptionCodes): Reading<SubscriptionRow> {
  const parsed = subscriptionLine.safeParse(value);
  if (!parsed.success) return rejectShape(() => parsed.error.issues);
  const line = parsed.data;
  const wrong: WrongValue[] = [];
  const plates: PlateSpan[] = [];
  for (const [index, { plate: text, valid_from, valid_until }] of line.plates.entries()) {
    const plate = normalizePlate(text);
    if (plate === null) wrong.push({ code: 'INVALID_PLATE', path: `plates.${index}.plate` });
    else plates.push([plate, valid_from, valid_until]);
  }
  const typeId = codes.types.get(line.type);
  if (typeId === undefined) wrong.push({ code: 'SUBSCRIPTION_TYPE_NOT_FOUND', path: 'type' });
  const areas = line.areas === 'all' ? null : [...new Set(line.areas)].sort();
  for (const [index, code] of line.areas === 'all' ? [] : line.areas.entries()) {
    if (!codes.areas.has(code)) wrong.push({ code: 'AREA_NOT_FOUND', path: `areas.${index}` });
  }
  if (typeId === undefined || wrong.length > 0) return rejectValues(wrong);
  return {
    row: {
      key: line.subscription_number,
      typeId,
      approval: line.approval,
      authorizedFrom: line.authorized_from,
      authorizedUntil: line.authorized_until,
      areas,
      suspendedFrom: line.suspended_from,
      suspendedUntil: line.suspended_until,
      revokedAt: line.revoked_at,
      periods: line.periods
        .map(({ starts_at, ends_at }) => [starts_at, ends_at] as const)
        .sort(([one], [other]) => one - other),
      revision: line.revision,
      plates: [...new Map(plates.map((span) => [span.join(), span])).values()],
    },
  };
}
