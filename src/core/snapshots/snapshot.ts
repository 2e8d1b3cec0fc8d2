import * as z from 'zod';
import { type Instant, instant, isWritable, SECOND_MS } from '../../domain/instant.ts';
import type { Counters } from '../../domain/occupancy.ts';
import { PAID_DAYS, type PaidSpan } from '../../domain/patrol/paid-hours.ts';
import { isTimeZone } from '../../domain/zoned-time.ts';
import {
  SHOWN_COLUMNS,
  SHOWN_FIELDS,
  type ShownColumn,
  type ShownFields,
  type ShownName,
} from '../../storage/configuration/area-fields.ts';
import { AREA_TYPES, areas } from '../../storage/db/schema/configuration.ts';

/** How a value is packed as JSON, and made again of JSON that has passed the schema. */
interface Packing<Value> {
  readonly schema: z.ZodType;
  readonly pack: (value: Value) => unknown;
  readonly unpack: (packed: never) => Value;
}
type AnyPacking = Pick<Packing<never>, 'schema' | 'pack'> & { readonly unpack: (packed: never) => unknown };
type ValueOf<Packed> = Packed extends { readonly unpack: (packed: never) => infer Value } ? Value : never;

const asIs = <Value>(schema: z.ZodType<Value>): Packing<Value> => ({
  schema,
  pack: (value) => value,
  unpack: (packed) => packed,
});

const nullable = <Value>({ schema, pack, unpack }: Packing<Value>): Packing<Value | null> => ({
  schema: schema.nullable(),
  pack: (value) => (value === null ? null : pack(value)),
  unpack: (packed) => (packed === null ? null : unpack(packed)),
});

/** Packed as the list of its values, in the order of its fields. */
function listed<Named extends Readonly<Record<string, AnyPacking>>>(
  fields: Named,
): Packing<{ readonly [Name in keyof Named]: ValueOf<Named[Name]> }> {
  const named = Object.entries(fields);
  return {
    schema: z.tuple(named.map(([, { schema }]) => schema) as [z.ZodType]),
    pack: (value) => named.map(([name, { pack }]) => pack(value[name] as never)),
    unpack: (list: readonly never[]) => {
      const value: Record<string, unknown> = {};
      for (const [at, [name, { unpack }]] of named.entries()) {
        value[name] = unpack(list[at] as never);
      }
      // Each was made by the field of its name.
      return value as never;
    },
  };
}

const list = <Value>({ schema, pack, unpack }: Packing<Value>): Packing<readonly Value[]> => ({
  schema: z.array(schema),
  pack: (values) => values.map(pack),
  unpack: (packed: readonly never[]) => packed.map(unpack),
});

const id = asIs(z.int().min(1));
const count = asIs(z.int().min(0));
const text = asIs(z.string());
const number = asIs(z.number());
const flag = asIs(z.boolean());
/** An instant whose year has four digits in any time zone. */
const at: Packing<Instant> = { ...asIs(z.int().refine(isWritable)), unpack: instant };

/** An active municipality. Its code comes first of all. */
const municipality = listed({
  id,
  name: text,
  /** One that this runtime knows: no report can be written in any other. */
  timeZone: asIs(z.string().refine(isTimeZone)),
  /** ISO 3166-1 alpha-2. */
  country: text,
  tenantId: id,
  tenantActive: flag,
  reportEnabled: flag,
  /** How old the newest success of its sources may be before the public is shown no figures. */
  publicMaxAgeMinutes: count,
  dataProtectionUrl: nullable(text),
  accessibilityUrl: nullable(text),
});

const source = listed({
  id,
  code: text,
  name: text,
  category: text,
  active: flag,
  isSystem: flag,
  staleAfterMinutes: count,
  /** Of its last import. Null: it has had none. */
  lastOutcome: nullable(asIs(z.enum(['succeeded', 'failed']))),
  lastSuccessfulAt: nullable(at),
});

/** Hours of some days, the days as the bits of a number. */
const paidSpan: Packing<PaidSpan> = {
  schema: z.tuple([
    z
      .int()
      .min(1)
      .max(2 ** PAID_DAYS.length - 1),
    z.string(),
    z.string(),
  ]),
  pack: ({ days, from, to }) => [
    PAID_DAYS.reduce((bits, day, bit) => bits + (days.includes(day) ? 2 ** bit : 0), 0),
    from,
    to,
  ],
  unpack: ([bits, from, to]: readonly [number, string, string]) => ({
    days: PAID_DAYS.filter((_, bit) => (bits & (2 ** bit)) !== 0),
    from,
    to,
  }),
};

/** What a column holds of a field that is shown: an instant, or a text or number as it is. Null: not configured. */
type Shown<Field extends ShownFields[ShownName]> = Field extends { readonly form: 'instant' }
  ? Instant | null
  : (typeof areas.$inferSelect)[Field['column']];
type ShownDetails = {
  readonly [Name in ShownName as ShownFields[Name]['column']]: Packing<Shown<ShownFields[Name]>>;
};

function packingOf(field: ShownFields[ShownName]) {
  if ('form' in field) return nullable(at);
  return areas[field.column].dataType === 'string' ? nullable(text) : nullable(count);
}

// One entry for each shown field, packed by what its column holds.
const shownDetails = Object.fromEntries(
  SHOWN_FIELDS.map(([, field]) => [field.column, packingOf(field)]),
) as ShownDetails;
const shown = listed(shownDetails);

/** What is shown of an area. Its row has each value as it is packed. */
export const shownOf = (row: Pick<typeof areas.$inferSelect, ShownColumn>) =>
  shown.unpack(SHOWN_COLUMNS.map((column) => row[column]) as never);

/** What the public is shown of an area, apart from its counters. */
const givenDetails = listed({
  ...shownDetails,
  /** Whether parking must be paid at the instant of the counters. */
  paymentDue: flag,
  /** When that changes next. Null: not within the next 8 days. */
  paymentDueChangesAt: nullable(at),
  /** Null: at any time. */
  paidHours: nullable(list(paidSpan)),
});
export type AreaDetails = ValueOf<typeof givenDetails>;

/** Of an area where payment is always due. */
const NO_DETAILS: AreaDetails = {
  ...shown.unpack(SHOWN_COLUMNS.map(() => null) as never),
  ...{ paymentDue: true, paymentDueChangesAt: null, paidHours: null },
};
const DETAILS = Object.keys(NO_DETAILS) as (keyof AreaDetails)[];

/** Most areas have none: null stands for those. */
const details: Packing<AreaDetails> = {
  schema: givenDetails.schema.nullable(),
  pack: (all) => (DETAILS.every((name) => all[name] === NO_DETAILS[name]) ? null : givenDetails.pack(all)),
  unpack: (given) => (given === null ? NO_DETAILS : givenDetails.unpack(given)),
};

/** A point in decimal degrees, WGS 84. */
const coordinates = listed({ latitude: number, longitude: number });
export type Coordinates = ValueOf<typeof coordinates>;

const counters = listed({
  activeNow: count,
  activeAfter30: count,
  activeAfter60: count,
  endingWithin30: count,
  endingBetween30And60: count,
});

/** The counters of each source that has vehicles somewhere, by its id. */
const counted = list(listed({ source: id, counters }));
const bySource: Packing<ReadonlyMap<number, Counters>> = {
  schema: counted.schema,
  pack: (all) => counted.pack([...all].map(([source, counters]) => ({ source, counters }))),
  unpack: (packed) => new Map(counted.unpack(packed).map(({ source, counters }) => [source, counters])),
};

const area = listed({
  id,
  code: text,
  name: text,
  areaType: asIs(z.enum(AREA_TYPES)),
  /** Null: not configured; likewise below. */
  capacity: nullable(count),
  coordinates: nullable(coordinates),
  details,
  all: counters,
  bySource,
});

export type SnapshotMunicipality = ValueOf<typeof municipality> & { readonly code: string };
export type SnapshotSource = ValueOf<typeof source>;
export type SnapshotArea = ValueOf<typeof area>;

/**
 * A municipality at an instant: its active areas with their counters, its sources with their last imports, and whatever
 * else a report or the public page needs. It contains no plate and no single session.
 */
export interface Snapshot {
  /** The instant of the counters. Everything was read at this instant or a moment later. */
  readonly at: Instant;
  /** When the counters were computed. The snapshots of one run differ in it. */
  readonly computedAt: Instant;
  readonly municipality: SnapshotMunicipality;
  /** All of them, ordered by code. */
  readonly sources: readonly SnapshotSource[];
  /** The active ones, ordered by code. */
  readonly areas: readonly SnapshotArea[];
}

const whole = listed({
  ...{ code: text, at, computedAt: at, municipality, sources: list(source), areas: list(area) },
});
/** How a snapshot travels: its municipality's code, its two instants, and the lists above. */
export const packedSnapshot: Packing<Snapshot> = {
  schema: whole.schema,
  pack: (snapshot) => whole.pack({ ...snapshot, code: snapshot.municipality.code }),
  unpack: (packed) => {
    const { code, municipality: unnamed, ...snapshot } = whole.unpack(packed);
    return { ...snapshot, municipality: { code, ...unnamed } };
  },
};

/** Older snapshots are not used. */
const MAX_AGE_MS = 120 * SECOND_MS;
/** How far the clock of the machine that computed it may run ahead of the reader's. */
const CLOCK_AHEAD_MS = 5 * SECOND_MS;

/** Whether a snapshot is recent enough to answer from, by its own instant, however long KV has had it. */
export function isRecent({ at }: Snapshot, now: Instant): boolean {
  const age = now - at;
  return -CLOCK_AHEAD_MS <= age && age <= MAX_AGE_MS;
}
