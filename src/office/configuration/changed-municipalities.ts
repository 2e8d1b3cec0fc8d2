import { type Changes, TABLE_NAMES } from './changes.ts';

/** Codes. */
interface ChangedMunicipalities {
  readonly municipalities: readonly string[];
  /** Tenants that were switched on or off, which changes all of their municipalities. */
  readonly tenants: readonly string[];
}

/** The municipalities whose configuration changes. A tenant's new name changes no municipality. */
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
