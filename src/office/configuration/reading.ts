import * as z from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import { issuesOf, REPEATED } from '../../serving/http/validation.ts';
import {
  type AreaItem,
  areaItem,
  type MunicipalityItem,
  municipalityItem,
  type PlanItem,
  planItem,
  type SourceItem,
  type SubscriptionTypeItem,
  sourceItem,
  subscriptionTypeItem,
  type TenantItem,
  tenantItem,
} from './contract.ts';

/**
 * The properties of an item in a document. One that the document leaves out is absent. An invalid one is undefined but
 * present, so that it is not reported as missing too.
 */
export type Given<Item> = { readonly [Key in keyof Item]?: Item[Key] | undefined };

/** An item that a document names. */
export interface Named<Item> {
  readonly code: string;
  /** Its path in the document: `municipalities.0.areas.3`. */
  readonly path: string;
  readonly given: Given<Item>;
}

export interface NamedMunicipality extends Named<MunicipalityItem> {
  readonly areas: readonly Named<AreaItem>[];
  readonly sources: readonly Named<SourceItem>[];
  readonly subscriptionTypes: readonly Named<SubscriptionTypeItem>[];
  readonly plans: readonly Named<PlanItem>[];
}

/** The valid parts of a document, and every issue of its form. No list repeats a code. */
export interface Reading {
  readonly tenants: readonly Named<TenantItem>[];
  readonly municipalities: readonly NamedMunicipality[];
  readonly issues: readonly Issue[];
}

const list = z.array(z.unknown()).optional();
const documentLists = z.strictObject({ tenants: list, municipalities: list });
const municipalityLists = { areas: list, sources: list, subscription_types: list, plans: list };
const municipalityWithLists = municipalityItem.extend(municipalityLists);

/**
 * Reads a document item by item, so that no error hides another. The valid properties of an item with an error are kept, to
 * judge how it relates to others.
 */
export function readDocument(document: unknown): Reading {
  const issues: Issue[] = [];
  const lists = readItem(documentLists, document, '', issues) ?? {};
  const tenants = readList(tenantItem, lists.tenants, 'tenants', issues);
  const municipalities = readList(municipalityWithLists, lists.municipalities, 'municipalities', issues).map(
    ({ path, given }) => ({
      path,
      given,
      areas: keepDistinct('code', readList(areaItem, given.areas, `${path}.areas`, issues), issues),
      sources: keepDistinct('code', readList(sourceItem, given.sources, `${path}.sources`, issues), issues),
      subscriptionTypes: keepDistinct(
        'code',
        readList(subscriptionTypeItem, given.subscription_types, `${path}.subscription_types`, issues),
        issues,
      ),
      plans: keepDistinct('codice_tariffa', readList(planItem, given.plans, `${path}.plans`, issues), issues),
    }),
  );
  return {
    tenants: keepDistinct('code', tenants, issues),
    municipalities: keepDistinct('code', municipalities, issues),
    issues,
  };
}

interface Read<Item> {
  readonly path: string;
  readonly given: Given<Item>;
}

function readList<Schema extends z.ZodObject>(
  schema: Schema,
  items: readonly unknown[] | undefined,
  path: string,
  issues: Issue[],
): Read<z.output<Schema>>[] {
  return (items ?? []).flatMap((item, index) => {
    const itemPath = `${path}.${index}`;
    const given = readItem(schema, item, itemPath, issues);
    return given === null ? [] : [{ path: itemPath, given }];
  });
}

/** @returns null if the item is not an object */
function readItem<Schema extends z.ZodObject>(
  schema: Schema,
  item: unknown,
  path: string,
  issues: Issue[],
): Given<z.output<Schema>> | null {
  const parsed = schema.safeParse(item);
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of issuesOf(parsed.error.issues)) {
    issues.push({ ...issue, path: [path, issue.path].filter((part) => part !== '').join('.') });
  }
  return isObject(item) ? validPartOf(schema, item) : null;
}

/** Parses each property on its own. An invalid one is undefined. */
function validPartOf<Schema extends z.ZodObject>(
  schema: Schema,
  item: Record<string, unknown>,
): Given<z.output<Schema>> {
  const entries = Object.entries(schema.shape)
    .filter(([key]) => Object.hasOwn(item, key))
    .map(([key, property]) => [key, z.safeParse(property, item[key]).data]);
  // Every key is the schema's, and every value is its property's output or undefined.
  return Object.fromEntries(entries) as Given<z.output<Schema>>;
}

/** Keeps the items with a valid code, and reports repeated codes. */
function keepDistinct<Key extends string, Item extends Read<{ [K in Key]: string }>>(
  key: Key,
  items: readonly Item[],
  issues: Issue[],
): (Item & { readonly code: string })[] {
  const byCode = new Map<string, Item & { readonly code: string }>();
  for (const item of items) {
    const code = item.given[key];
    if (code === undefined) continue;
    if (byCode.has(code)) {
      issues.push({ path: `${item.path}.${key}`, message: REPEATED });
    } else {
      byCode.set(code, { ...item, code });
    }
  }
  return [...byCode.values()];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
