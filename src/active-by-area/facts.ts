import type { MunicipalityFinding } from '../municipality/choice.ts';
import {
  fromMunicipalities,
  municipalityParameter,
  TENANT_ACTIVE,
} from '../municipality/municipality-table.ts';

/** What decides whether a municipality may be reported on. */
export interface Municipality {
  readonly id: number;
  readonly code: string;
  readonly reportEnabled: boolean;
}

interface PlaceRow {
  readonly tenant_active: number;
  readonly id: number | null;
  readonly code: string;
  readonly report_enabled: number;
}

/**
 * The tenant, and the active ones among the municipalities asked for, from the primary database: a change of the
 * configuration must not be refused by what was before it.
 *
 * @param codes of municipalities
 */
export async function readPlace(
  db: D1Database,
  tenantId: number,
  codes: readonly string[],
): Promise<MunicipalityFinding<Municipality>> {
  const { results } = await db
    .prepare(
      `select ${TENANT_ACTIVE} as tenant_active, m.id, m.code, m.report_enabled ${fromMunicipalities(codes)}`,
    )
    .bind(tenantId, municipalityParameter(codes))
    .all<PlaceRow>();
  return {
    tenantActive: results[0]?.tenant_active === 1,
    municipalities: results.flatMap(({ id, code, report_enabled }) =>
      id === null ? [] : [{ id, code, reportEnabled: report_enabled === 1 }],
    ),
  };
}
