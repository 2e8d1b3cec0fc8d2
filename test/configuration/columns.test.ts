import { getTableColumns } from 'drizzle-orm';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { KINDS, type KindName } from '../../src/storage/configuration/kinds.ts';
import * as tables from '../../src/storage/db/schema/index.ts';

const TABLES = {
  tenants: tables.tenants,
  municipalities: tables.municipalities,
  areas: tables.areas,
  sources: tables.sources,
  subscription_types: tables.subscriptionTypes,
  plans: tables.plans,
} as const;

/** Columns that have another name than their property. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ tenant: 'tenant_id', timezone: 'time_zone', subscription_type: 'subscription_type_id' },
  ...{ codice_tariffa: 'code', importo_eurocent: 'amount_cents', descrizione: 'description' },
  ...{ first_activation: 'for_first_activation', renewal: 'for_renewal' },
};

/** The columns of an item's properties: those of a group, and of a list of names, each have their own. */
function columnsOf(name: string, schema: unknown): string[] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return columnsOf(name, schema.unwrap());
  if (name === 'operations') return ['first_activation', 'renewal'].map((one) => NAMED[one] ?? one);
  if (!(schema instanceof z.ZodObject)) return [NAMED[name] ?? name];
  const columns = Object.entries(schema.shape).flatMap(([inner, of]) => columnsOf(inner, of));
  return name === 'services' ? columns.map((column) => `${column}_enabled`) : columns;
}

it.each(Object.keys(KINDS) as KindName[])('Each property of %s has its column', (kind) => {
  const known = Object.values(getTableColumns(TABLES[kind])).map(({ name }) => name);
  const needed = Object.entries(KINDS[kind].whole.shape).flatMap(([name, schema]) => columnsOf(name, schema));
  expect(needed.filter((name) => !known.includes(name))).toEqual([]);
  expect(needed.length).toBeGreaterThan(1);
});
