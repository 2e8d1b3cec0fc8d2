import { type Changes, type Row, TABLE_NAMES } from './changes.ts';

/** Whose configuration a document has changed, by code. */
export interface ChangedMunicipalities {
  readonly municipalities: readonly string[];
  /** Tenants of which every municipality is meant: whether a tenant is active says whether they answer. */
  readonly tenants: readonly string[];
}

/** The municipalities whose configuration the changes touch. A tenant's new name is no change of any municipality. */
export function changedMunicipalities(changes: Changes): ChangedMunicipalities {
  const rows = TABLE_NAMES.filter((name) => name !== 'tenants').flatMap((name) => {
    const { created, updated } = changes[name];
    return [...created, ...updated].map((row) => String(row.municipality ?? row.code));
  });
  return {
    municipalities: [...new Set(rows)],
    tenants: changes.tenants.updated.filter(changesActive).map(({ code }) => String(code)),
  };
}

const changesActive = (row: Row): boolean => 'active' in row;
