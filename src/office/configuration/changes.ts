import { sum } from '../../domain/sum.ts';

/** The tables of the configuration, in the order of writing: each after the tables that it refers to. */
export const TABLE_NAMES = [
  'tenants',
  'municipalities',
  'areas',
  'sources',
  'subscriptionTypes',
  'plans',
] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/**
 * A row to write, by column; `tenant`, `municipality` and `subscriptionType` name other rows by code. A created row has every
 * column, an updated one its code and the changed columns.
 */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export interface TableChanges {
  readonly created: readonly Row[];
  readonly updated: readonly Row[];
  readonly unchanged: number;
}

/** The changes that a document makes to the configuration. */
export type Changes = Readonly<Record<TableName, TableChanges>>;

/** A change as the answer tells it. A created item is one change: its `property` and `from` are null, `to` is the item. */
export interface ShownChange {
  /** The item's path in the document. */
  readonly path: string;
  /** Such as `facility.entry_grace_minutes`. */
  readonly property: string | null;
  readonly from: unknown;
  readonly to: unknown;
}

export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Counts each item of the document once. */
export function countsOf(changes: Changes): ChangeCounts {
  const tables = Object.values(changes);
  return {
    created: sum(tables.map(({ created }) => created.length)),
    updated: sum(tables.map(({ updated }) => updated.length)),
    unchanged: sum(tables.map(({ unchanged }) => unchanged)),
  };
}

/**
 * Codes of the municipalities whose configuration changes, and of tenants that are switched on or off, which changes all of
 * their municipalities. A tenant's new name changes none.
 */
export function changedMunicipalities(changes: Changes) {
  const rows = TABLE_NAMES.filter((name) => name !== 'tenants').flatMap((name) => {
    const { created, updated } = changes[name];
    return [...created, ...updated].map((row) => String(row.municipality ?? row.code));
  });
  return {
    municipalities: [...new Set(rows)],
    tenants: changes.tenants.updated.filter((row) => 'active' in row).map(({ code }) => String(code)),
  };
}
