import { sum } from '../../domain/sum.ts';

/** The tables of the configuration, in the order in which they are written: each after those it refers to. */
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
 * A row to be written, by column; `tenant`, `municipality` and `subscriptionType` name other rows by code. A created
 * one is whole; an updated one has its code and what changes, nothing else.
 */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

export interface TableChanges {
  readonly created: readonly Row[];
  readonly updated: readonly Row[];
  readonly unchanged: number;
}

/** What a document does to the configuration. */
export type Changes = Readonly<Record<TableName, TableChanges>>;

export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** Every item that the document names, counted once. */
export function countsOf(changes: Changes): ChangeCounts {
  const tables = Object.values(changes);
  return {
    created: sum(tables.map(({ created }) => created.length)),
    updated: sum(tables.map(({ updated }) => updated.length)),
    unchanged: sum(tables.map(({ unchanged }) => unchanged)),
  };
}
