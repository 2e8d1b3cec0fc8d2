import {
  AFTER_AREAS,
  BEFORE_AREAS,
  type ByName,
  type ChoiceField,
  type Field,
  type InstantField,
  type Key,
  SHARED_FIELDS,
  type SharedColumns,
} from './subscription-fields.ts';

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

/** The same by name, for a row's columns. */
export const sharedByName = <Table extends SharedColumns>(of: Table) =>
  // One for each field.
  keyed('name', SHARED_FIELDS, ({ column }) => of[column]) as {
    readonly [Each in Field as Each['name']]: Table[Each['column']];
  };
