import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type * as z from 'zod';
import { APPROVALS, type subscriptions } from './schema/subscriptions.ts';

/* The fields of a subscription that hold for all its plates. To add one, add an entry below. */

/** Adds a field's words to its schema. */
type Describe = <Schema extends z.ZodType>(schema: Schema) => Schema;

/** A field with an instant or null, or with one of some values. */
interface SubscriptionField {
  /** In JSON, and in the database. */
  readonly name: string;
  readonly column: keyof typeof subscriptions.$inferSelect;
  /** Absent: it is an instant, null if a line or a version leaves it out. */
  readonly oneOf?: readonly [string, ...string[]];
  /** The field whose instant must be earlier. */
  readonly laterThan?: string;
  /** A line may have this field only together with that one. */
  readonly needsIt?: true;
  /** Its words in an import's line. */
  readonly describeLine: Describe;
  /** Its words in a recorded version. */
  readonly describeRecord: Describe;
}

/** The fields in the order of JSON, up to `areas`. */
const BEFORE_AREAS = [
  {
    name: 'approval',
    column: 'approval',
    oneOf: APPROVALS,
    describeLine: (schema) => schema.describe('What the office decided.'),
    describeRecord: (schema) => schema.describe('The office’s decision.'),
  },
  {
    name: 'authorized_from',
    column: 'authorizedFrom',
    describeLine: (schema) => schema.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    describeRecord: (schema) => schema.describe('From when it is authorized. Null: unbounded.'),
  },
  {
    name: 'authorized_until',
    column: 'authorizedUntil',
    laterThan: 'authorized_from',
    describeLine: (schema) => schema.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    describeRecord: (schema) => schema.describe('Until when. Null: unbounded.'),
  },
] as const satisfies readonly SubscriptionField[];

/** The fields after `areas`. */
const AFTER_AREAS = [
  {
    name: 'suspended_from',
    column: 'suspendedFrom',
    describeLine: (schema) => schema.describe('ISO 8601 with offset. Null or absent: not suspended.'),
    describeRecord: (schema) => schema.describe('From when it is suspended. Null: it is not.'),
  },
  {
    name: 'suspended_until',
    column: 'suspendedUntil',
    laterThan: 'suspended_from',
    needsIt: true,
    describeLine: (schema) =>
      schema.describe('ISO 8601 with offset; needs `suspended_from`. Null or absent: for good.'),
    describeRecord: (schema) => schema.describe('Until when. Null: unbounded.'),
  },
  {
    name: 'revoked_at',
    column: 'revokedAt',
    describeLine: (schema) => schema.describe('ISO 8601 with offset. Null or absent: not revoked.'),
    describeRecord: (schema) => schema.describe('From when it is revoked. Null: it is not.'),
  },
] as const satisfies readonly SubscriptionField[];

export const SUBSCRIPTION_FIELDS = [...BEFORE_AREAS, ...AFTER_AREAS] as const;

type Fields = typeof SUBSCRIPTION_FIELDS;
type Field = Fields[number];
type ChoiceField = Extract<Field, { readonly oneOf: unknown }>;
type InstantField = Exclude<Field, ChoiceField>;
type Choice = ChoiceField['oneOf'][number];
export type FieldColumn = Field['column'];

/** The columns whose instants end a subscription. */
export const END_COLUMNS = [
  'revokedAt',
  'authorizedUntil',
] as const satisfies readonly InstantField['column'][];

type Key = 'name' | 'column';
type Values<By extends Key, Of extends Field, InstantValue, ChoiceValue> = {
  readonly [Each in Of as Each[By]]: Each extends ChoiceField ? ChoiceValue : InstantValue;
};
/** A value for each field, by its name in JSON. */
export type ValuesByName<InstantValue, ChoiceValue = Choice> = Values<
  'name',
  Field,
  InstantValue,
  ChoiceValue
>;
/** A value for each field, by its column. */
export type ValuesByColumn<InstantValue, ChoiceValue = Choice> = Values<
  'column',
  Field,
  InstantValue,
  ChoiceValue
>;
/** The values in a stored record, by name: instants that are null are left out. */
export type RecordedValues = Partial<ValuesByName<number | undefined>> &
  Values<'name', ChoiceField, never, Choice>;

const isInstant = (field: Field): field is InstantField => !('oneOf' in field);
export const INSTANT_FIELDS = SUBSCRIPTION_FIELDS.filter(isInstant);
/** The fields with one of some values. */
export const CHOICE_FIELDS = SUBSCRIPTION_FIELDS.filter((field): field is ChoiceField => !isInstant(field));

/** Makes a value for each of these fields, by name or by column. */
export const mapFields = <By extends Key, Of extends Field, Value>(
  fields: readonly Of[],
  by: By,
  make: (field: Of) => Value,
) =>
  // One entry for each field.
  Object.fromEntries(fields.map((field) => [field[by], make(field)])) as {
    readonly [Each in Of as Each[By]]: Value;
  };

/** Makes a value for each field by name, in the order of JSON, with `areas` in its place. */
export function fieldsWithAreas<Areas, InstantValue, ChoiceValue>(
  areas: Areas,
  choiceValue: (field: ChoiceField) => ChoiceValue,
  instantValue: (field: InstantField) => InstantValue,
) {
  const make = (field: Field) => (isInstant(field) ? instantValue(field) : choiceValue(field));
  const values = { ...mapFields(BEFORE_AREAS, 'name', make), areas, ...mapFields(AFTER_AREAS, 'name', make) };
  // `make` chose by the kind of the field.
  return values as ValuesByName<InstantValue, ChoiceValue> & { readonly areas: Areas };
}

type FieldColumns = Readonly<Record<FieldColumn, SQLiteColumn>>;

type ColumnsIn<Table extends FieldColumns, Of extends readonly Field[]> = {
  readonly [At in keyof Of]: Table[Of[At]['column']];
};
type ValuesOf<Of extends readonly Field[]> = {
  -readonly [At in keyof Of]: Of[At] extends ChoiceField ? Choice : number | null;
};
/** The stored values, in the order of the fields. */
type FieldValues = ValuesOf<Fields>;
type SqlOf<Each extends readonly unknown[]> = { readonly [At in keyof Each]: SQL<Each[At]> };

/** A table's columns of the fields, in their order. */
export const fieldColumns = <Table extends FieldColumns>(of: Table) =>
  // One for each field.
  SUBSCRIPTION_FIELDS.map(({ column }) => of[column]) as unknown as ColumnsIn<Table, Fields>;

/** A table's columns of the fields by name, to select rows. */
export const fieldColumnsByName = <Table extends FieldColumns>(of: Table) =>
  // One for each field.
  mapFields(SUBSCRIPTION_FIELDS, 'name', ({ column }) => of[column]) as {
    readonly [Each in Field as Each['name']]: Table[Each['column']];
  };

/** A property of a stored record. */
export const recordValue = (record: SQLWrapper, property: string): SQL =>
  sql`${record} ->> ${sql.raw(`'$.${property}'`)}`;

/** A stored record's values of the fields, in their order. */
export const recordValues = (record: SQLWrapper) =>
  // One for each field.
  SUBSCRIPTION_FIELDS.map(({ name }) => recordValue(record, name)) as unknown as SqlOf<FieldValues>;

/** Splits a row's values: the fields' values at its front become one object by name. */
export function splitFieldValues<Rest extends readonly unknown[]>(
  values: readonly [...FieldValues, ...Rest],
): readonly [stored: ValuesByName<number | null>, ...Rest] {
  const stored: Partial<Record<Field['name'], unknown>> = {};
  for (const [index, { name }] of SUBSCRIPTION_FIELDS.entries()) stored[name] = values[index];
  // The fields' values come first, in the order of the fields.
  return values.toSpliced(0, SUBSCRIPTION_FIELDS.length, stored) as unknown as readonly [
    ValuesByName<number | null>,
    ...Rest,
  ];
}
