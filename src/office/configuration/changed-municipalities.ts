import { type Changes, TABLE_NAMES } from './changes.ts';

/** Whose configuration a document has changed, by code. */
interface ChangedMunicipalities {
  readonly municipalities: readonly string[];
  /** Tenants all of whose municipalities change: they answer only while their tenant is active. */
  readonly tenants: readonly string[];
}

/** The municipalities whose configuration the changes touch. A tenant's new name touches none. */
export function changedMunicipalities(changes: Changes): ChangedMunicipalities {
  const rows = TABLE_NAMES.filter((name) => name !== 'tenants').flatMap((name) => {
    const { created, updated } = changes[name];
    return [...created, ...updated].map((row) => String(row.municipality ?? row.code));
  });
  return {
    municipalities: [...new Set(rows)],
    tenants: changes.tenants.updated.filter((row) => 'active' in row).map(({ code }) => String(code)),
  };
}
