import { type Instant, instant } from '../../domain/instant.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Changer } from '../../serving/access/changer.ts';
import { AREA_FIELDS } from '../../storage/configuration/area-fields.ts';
import type { ColumnField, Fields } from '../../storage/configuration/fields.ts';
import {
  MUNICIPALITY_FIELDS,
  PLAN_FIELDS,
  SOURCE_FIELDS,
  SUBSCRIPTION_TYPE_FIELDS,
  TENANT_FIELDS,
} from '../../storage/configuration/item-fields.ts';
import type { Row as Columns } from './changes.ts';
import type {
  AreaItem,
  MunicipalityItem,
  PlanItem,
  SourceItem,
  StoredConfiguration,
  SubscriptionTypeItem,
  TenantItem,
} from './contract.ts';
import type { Given } from './reading.ts';
import type {
  Area,
  ConfigurationState,
  Municipality,
  Plan,
  Source,
  SubscriptionType,
  Tenant,
} from './state.ts';

/** Converts the items of one kind to rows, and rows to items. */
export interface Kind<Item, Row> {
  /** The properties that a new item must have. */
  readonly required: readonly string[];
  /** The columns of properties that a new item leaves out. */
  readonly defaults: Columns;
  /** The columns that the document sets. */
  readonly columns: (given: Given<Item>) => Columns;
  /** The item for an answer, with all its fields. */
  readonly item: (row: Row) => StoredItem<Item>;
  /** Who may change a field. */
  readonly changerOf: (field: string) => Changer;
}

/** An item with all its fields, in the form of an answer: instants are texts. */
type StoredItem<Item> = {
  readonly [Name in keyof Item]-?: StoredValue<Exclude<Item[Name], undefined>>;
};
type StoredValue<Value> = Value extends Instant
  ? string
  : Value extends readonly unknown[]
    ? Value
    : Value extends object
      ? StoredItem<Value>
      : Value;

/** The fields that map an item's properties to a row's columns, each to a column of the right type. */
type FieldsOf<Item, Row> = {
  readonly [Name in keyof Item]-?: FieldOf<Exclude<Item[Name], undefined>, Row>;
};
type FieldOf<Value, Row> =
  | Column<Row, Value, undefined>
  | (NonNullable<Value> extends readonly unknown[]
      ? Column<Row, string | Extract<Value, null>, 'json'>
      : never)
  | (NonNullable<Value> extends Instant ? Column<Row, number | Extract<Value, null>, 'instant'> : never)
  | (Value extends readonly (infer Name extends string)[]
      ? { readonly flags: { readonly [Flag in Name]: ColumnsHolding<Row, boolean> } }
      : Value extends object
        ? { readonly fields: FieldsOf<Value, Row> }
        : never);
type Column<Row, Held, Form> = [ColumnsHolding<Row, Held>] extends [never]
  ? never
  : {
      readonly column: ColumnsHolding<Row, Held>;
      readonly initial?: Held;
    } & (Form extends undefined ? { readonly form?: never } : { readonly form: Form });
/** The columns of exactly that type. */
type ColumnsHolding<Row, Held> = {
  [Name in keyof Row]: [Row[Name], Held] extends [Held, Row[Name]] ? Name : never;
}[keyof Row];

/** @param changedBy who may change the fields without a `changedBy` of their own */
function kindOf<Item, Row extends object>(
  fields: Fields & FieldsOf<Item, Row>,
  changedBy: Changer,
): Kind<Item, Row> {
  const entries = Object.entries<Fields[string]>(fields);
  return {
    required: entries
      .filter(([, field]) => 'column' in field && field.initial === undefined)
      .map(([name]) => name),
    defaults: Object.fromEntries(entries.flatMap(([, field]) => initialOf(field))),
    columns: (given) => columnsOf(fields, given),
    // `FieldsOf` guarantees a field for each property, in a column of its type.
    item: (row) => itemOf(fields, row) as StoredItem<Item>,
    changerOf: (name) => fields[name]?.changedBy ?? changedBy,
  };
}

type Value = Columns[string];

function initialOf(field: Fields[string]): [string, Value][] {
  if ('fields' in field) return Object.values(field.fields).flatMap(initialOf);
  if ('flags' in field) return Object.values(field.flags).map((column) => [column, true]);
  return field.initial === undefined ? [] : [[field.column, field.initial]];
}

/** The columns of the document's valid properties. */
const columnsOf = (fields: Fields, given: object): Columns =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => columnsOfField(field, Reflect.get(given, name))),
  );

function columnsOfField(field: Fields[string], value: unknown): [string, Value][] {
  if (value === undefined) return [];
  // The document's schema validated the value, and `FieldsOf` gives it the field's type.
  if ('fields' in field) return Object.entries(columnsOf(field.fields, value as object));
  if ('flags' in field) {
    const names = value as readonly string[];
    return Object.entries(field.flags).map(([name, column]) => [column, names.includes(name)]);
  }
  // The schema outputs properties in a fixed order, so equal values have equal JSON.
  const isJson = field.form === 'json' && value !== null;
  return [[field.column, isJson ? JSON.stringify(value) : (value as Value)]];
}

const itemOf = (fields: Fields, row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, itemValue(field, row)]));

function itemValue(field: Fields[string], row: object): unknown {
  if ('fields' in field) return itemOf(field.fields, row);
  if ('flags' in field) {
    const flags = Object.entries(field.flags);
    return flags.filter(([, column]) => Reflect.get(row, column) === true).map(([name]) => name);
  }
  return fromColumn(field, Reflect.get(row, field.column));
}

function fromColumn({ form }: ColumnField, value: unknown): unknown {
  if (form === undefined || value === null) return value;
  return form === 'json' ? JSON.parse(String(value)) : new Date(Number(value)).toISOString();
}

export const TENANT = kindOf<TenantItem, Tenant>(TENANT_FIELDS, 'administrator');
export const MUNICIPALITY = kindOf<MunicipalityItem, Municipality>(MUNICIPALITY_FIELDS, 'administrator');
/** A street keeps the settings that it had as a facility, in case it becomes one again. */
export const AREA = kindOf<AreaItem, Area>(AREA_FIELDS, 'office');
export const SOURCE = kindOf<SourceItem, Source>(SOURCE_FIELDS, 'office');
export const SUBSCRIPTION_TYPE = kindOf<SubscriptionTypeItem, SubscriptionType>(
  SUBSCRIPTION_TYPE_FIELDS,
  'office',
);
export const PLAN = kindOf<PlanItem, Plan>(PLAN_FIELDS, 'office');

/** The configuration as a document with every property. */
export function presentConfiguration(state: ConfigurationState): StoredConfiguration {
  return {
    tenants: [...state.tenants.values()].map(TENANT.item),
    municipalities: [...state.municipalities.values()].map((municipality) => ({
      ...MUNICIPALITY.item(municipality),
      areas: [...municipality.areas.values()].map((area) => presentArea(area, municipality.timeZone)),
      sources: [...municipality.sources.values()].map(SOURCE.item),
      subscription_types: [...municipality.subscriptionTypes.values()].map(SUBSCRIPTION_TYPE.item),
      plans: [...municipality.plans.values()].map(PLAN.item),
    })),
  };
}

/** An area for an answer: its closing is written by the clocks of its city, and a street has no settings of a facility. */
export function presentArea(area: Area, timeZone: string) {
  const { facility, ...item } = AREA.item(area);
  const closedUntil = area.closedUntil === null ? null : formatInstant(instant(area.closedUntil), timeZone);
  return { ...item, closed_until: closedUntil, ...(area.areaType === 'facility' && { facility }) };
}
