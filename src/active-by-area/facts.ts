import { sql } from 'drizzle-orm';
import { columns, type RowOf, statement } from '../db/sql.ts';
import type {
  FoundMunicipality,
  GrantedSearch,
  MunicipalityFinding,
} from '../lookups/municipality-choice.ts';
import {
  findingOf,
  fromMunicipalities,
  MUNICIPALITY_COLUMNS,
  m,
  municipalityParameters,
} from '../lookups/municipality-table.ts';

/** What decides whether a municipality may be reported on. */
export interface ReportMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly reportEnabled: boolean;
}

const SELECTION = {
  ...MUNICIPALITY_COLUMNS,
  id: sql<number | null>`${m.id}`,
  report_enabled: sql<number | null>`${m.reportEnabled}`,
} as const;

const STATEMENT = statement(() => sql`select ${columns(SELECTION)} ${fromMunicipalities('grant')}`);

/**
 * The municipalities that the credential's object allows, from the primary database: a change of the configuration must
 * not be refused by what was before it.
 */
export async function readGranted(
  db: D1Database,
  search: GrantedSearch,
): Promise<MunicipalityFinding<ReportMunicipality>> {
  const { results } = await db
    .prepare(STATEMENT())
    .bind(...municipalityParameters(search))
    .all<RowOf<typeof SELECTION>>();
  const { tenantActive, rows } = findingOf(results);
  return {
    tenantActive,
    municipalities: rows.map(({ row, place }) => ({
      ...place,
      // Not null where the row has a municipality.
      id: row.id ?? 0,
      reportEnabled: row.report_enabled === 1,
    })),
  };
}
