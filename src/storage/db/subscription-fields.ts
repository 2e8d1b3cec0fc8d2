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
  /** Its words in an import's line. */
  readonly line: Words;
  /** Its words in a recorded version. */
  readonly record: Words;
}

/** The fields in the order of JSON, up to `areas`. */
export const BEFORE_AREAS = [
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
    line: (schema) => schema.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    record: (schema) => schema.describe('Until when. Null: unbounded.'),
  },
] as const satisfies readonly SharedField[];

/** Those after `areas`. */
export const AFTER_AREAS = [
  {
    name: 'suspended_from',
    column: 'suspendedFrom',
    line: (schema) => schema.describe('ISO 8601 with offset. Null or absent: not suspended.'),
    record: (schema) => schema.describe('From when it is suspended. Null: it is not.'),
  },
  {
    name: 'suspended_until',
    column: 'suspendedUntil',
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

export type Fields = typeof SHARED_FIELDS;
export type Field = Fields[number];
export type ChoiceField = Extract<Field, { readonly oneOf: unknown }>;
export type InstantField = Exclude<Field, ChoiceField>;
type Choice = ChoiceField['oneOf'][number];
export type SharedColumn = Field['column'];

/** The instants that end a subscription. */
export const ENDINGS = ['revokedAt', 'authorizedUntil'] as const satisfies readonly InstantField['column'][];

/** The instants of which one is after the other, and whether the later one needs the earlier one. */
export const SPANS = [
  { from: 'authorized_from', until: 'authorized_until', needsFrom: false },
  { from: 'suspended_from', until: 'suspended_until', needsFrom: true },
] as const satisfies readonly {
  from: InstantField['name'];
  until: InstantField['name'];
  needsFrom: boolean;
}[];

export type Key = 'name' | 'column';
type Keyed<By extends Key, Of extends Field, Moment, Chosen> = {
  readonly [Each in Of as Each[By]]: Each extends ChoiceField ? Chosen : Moment;
};
/** A value for each field, by its name: for each instant, and for each other field. */
export type ByName<Moment, Chosen = Choice> = Keyed<'name', Field, Moment, Chosen>;
/** The same as a stored record has them: an instant that is null is left out. */
export type RecordedByName = Keyed<'name', ChoiceField, never, Choice> &
  Partial<Keyed<'name', InstantField, number | undefined, never>>;
/** A value for each field by column. */
export type ByColumn<Moment, Chosen = Choice> = Keyed<'column', Field, Moment, Chosen>;

/** A table's columns of the fields. */
export type SharedColumns = Readonly<Record<Field['column'], SQLiteColumn>>;
