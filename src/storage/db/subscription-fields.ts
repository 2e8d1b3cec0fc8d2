import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type * as z from 'zod';
import { APPROVALS, type subscriptions } from './schema/subscriptions.ts';

/** Adds a field's words to its schema. */
type Words = <Schema extends z.ZodType>(schema: Schema) => Schema;

/** A field that a subscription's plates share: an instant or null, or one of some values. */
interface SharedField {
  /** In JSON, and in the database. */
  readonly name: string;
  readonly column: keyof typeof subscriptions.$inferSelect;
  /** Absent: it is an instant, null if a line or a version leaves it out. */
  readonly oneOf?: readonly [string, ...string[]];
  /** The instant that it must be later than, and whether it may be there without that. */
  readonly after?: string;
  readonly mayBeAlone?: boolean;
  /** Its words in an import's line. */
  readonly line: Words;
  /** Its words in a recorded version. */
  readonly record: Words;
}

/** The fields in the order of JSON, up to `areas`. */
const BEFORE_AREAS = [
  {
    name: 'approval',
    column: 'approval',
    oneOf: APPROVALS,
    line: (schema) => schema.describe('What the office decided.'),
    record: (schema) => schema.describe('The office’s decision.'),
  },
  {
    name: 'authorized_from',
    column: 'authorizedFrom',
    line: (schema) => schema.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    record: (schema) => schema.describe('From when it is authorized. Null: unbounded.'),
  },
  {
    name: 'authorized_until',
    column: 'authorizedUntil',
    after: 'authorized_from',
    mayBeAlone: true,
    line: (schema) => schema.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    record: (schema) => schema.describe('Until when. Null: unbounded.'),
  },
] as const satisfies readonly SharedField[];

/** Those after `areas`. */
const AFTER_AREAS = [
  {
    name: 'suspended_from',
    column: 'suspendedFrom',
    line: (schema) => schema.describe('ISO 8601 with offset. Null or absent: not suspended.'),
    record: (schema) => schema.describe('From when it is suspended. Null: it is not.'),
  },
  {
    name: 'suspended_until',
    column: 'suspendedUntil',
    after: 'suspended_from',
    mayBeAlone: false,
    line: (schema) =>
      schema.describe('ISO 8601 with offset; needs `suspended_from`. Null or absent: for good.'),
    record: (schema) => schema.describe('Until when. Null: unbounded.'),
  },
  {
    name: 'revoked_at',
    column: 'revokedAt',
    line: (schema) => schema.describe('ISO 8601 with offset. Null or absent: not revoked.'),
    record: (schema) => schema.describe('From when it is revoked. Null: it is not.'),
  },
] as const satisfies readonly SharedField[];

export const SHARED_FIELDS = [...BEFORE_AREAS, ...AFTER_AREAS] as const;

type Fields = typeof SHARED_FIELDS;
type Field = Fields[number];
type ChoiceField = Extract<Field, { readonly oneOf: unknown }>;
type InstantField = Exclude<Field, ChoiceField>;
type Choice = ChoiceField['oneOf'][number];
export type SharedColumn = Field['column'];

/** The instants that end a subscription. */
export const ENDINGS = ['revokedAt', 'authorizedUntil'] as const satisfies readonly InstantField['column'][];

type Key = 'name' | 'column';
type Keyed<By extends Key, Of extends Field, Moment, Chosen> = {
  readonly [Each in Of as Each[By]]: Each extends ChoiceField ? Chosen : Moment;
};
/** A value for each field, by its name: for each instant, and for each other field. */
export type ByName<Moment, Chosen = Choice> = Keyed<'name', Field, Moment, Chosen>;
/** The same as a stored record has them: an instant that is null is left out. */
export type RecordedByName = Partial<ByName<number | undefined>> & Keyed<'name', ChoiceField, never, Choice>;
/** A value for each field by column. */
export type ByColumn<Moment, Chosen = Choice> = Keyed<'column', Field, Moment, Chosen>;

const isInstant = (field: Field): field is InstantField => !('oneOf' in field);
export const INSTANTS = SHARED_FIELDS.filter(isInstant);
/** The fields that have one of some values. */
export const CHOICES = SHARED_FIELDS.filter((field): field is ChoiceField => !isInstant(field));

/** Makes a value for each of some fields. */
export const keyed = <By extends Key, Of extends Field, Value>(
  by: By,
  fields: readonly Of[],
  make: (field: Of) => Value,
) =>
  // One entry for each field.
  Object.fromEntries(fields.map((field) => [field[by], make(field)])) as {
    readonly [Each in Of as Each[By]]: Value;
  };

/** Makes a value for each field by name, in the order of JSON, `areas` in its place. */
export function inJsonOrder<Areas, Moment, Chosen>(
  areas: Areas,
  chosen: (field: ChoiceField) => Chosen,
  moment: (field: InstantField) => Moment,
) {
  const make = (field: Field) => (isInstant(field) ? moment(field) : chosen(field));
  const values = { ...keyed('name', BEFORE_AREAS, make), areas, ...keyed('name', AFTER_AREAS, make) };
  // Each is made as the kind of its field says.
  return values as ByName<Moment, Chosen> & { readonly areas: Areas };
}

type SharedColumns = Readonly<Record<SharedColumn, SQLiteColumn>>;

type ColumnsIn<Table extends SharedColumns, Of extends readonly Field[]> = {
  readonly [At in keyof Of]: Table[Of[At]['column']];
};
type ValuesOf<Of extends readonly Field[]> = {
  -readonly [At in keyof Of]: Of[At] extends ChoiceField ? Choice : number | null;
};
/** The stored values, in the order of the fields. */
type SharedValues = ValuesOf<Fields>;
type SqlOf<Values extends readonly unknown[]> = { readonly [At in keyof Values]: SQL<Values[At]> };

/** The columns of a table in the order of the fields. */
export const sharedColumns = <Table extends SharedColumns>(of: Table) =>
  // One for each field.
  SHARED_FIELDS.map(({ column }) => of[column]) as unknown as ColumnsIn<Table, Fields>;

/** The columns by name, for rows. */
export const sharedByName = <Table extends SharedColumns>(of: Table) =>
  // One for each field.
  keyed('name', SHARED_FIELDS, ({ column }) => of[column]) as {
    readonly [Each in Field as Each['name']]: Table[Each['column']];
  };

/** What a stored record says of one of its properties. */
export const recorded = (record: SQLWrapper, property: string): SQL =>
  sql`${record} ->> ${sql.raw(`'$.${property}'`)}`;

/** What a stored record says of the fields, in their order. */
export const sharedOfRecord = (record: SQLWrapper) =>
  // One for each field.
  SHARED_FIELDS.map(({ name }) => recorded(record, name)) as unknown as SqlOf<SharedValues>;

/** Takes the stored values off the front of a row's values. */
export function takeShared<Rest extends readonly unknown[]>(
  values: readonly [...SharedValues, ...Rest],
): readonly [stored: ByName<number | null>, ...Rest] {
  const stored: Partial<Record<Field['name'], unknown>> = {};
  for (const [index, { name }] of SHARED_FIELDS.entries()) stored[name] = values[index];
  // They are in the order of the fields, and the rest is behind them.
  return values.toSpliced(0, SHARED_FIELDS.length, stored) as unknown as readonly [
    ByName<number | null>,
    ...Rest,
  ];
}
