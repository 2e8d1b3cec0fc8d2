import { sql } from 'drizzle-orm';
import { columns, type RowOf, statement } from '../db/sql.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
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

const statementOf = (by: MunicipalitySearch['by']) =>
  statement(() => sql`select ${columns(SELECTION)} ${fromMunicipalities(by)}`);

const STATEMENTS = {
  code: statementOf('code'),
  credential: statementOf('credential'),
  grant: statementOf('grant'),
} as const;

/**
 * The municipalities that the credential's object allows, from the primary database: a change of the configuration must
 * not be refused by what was before it.
 */
export async function readReportMunicipalities(
  db: D1Database,
  search: MunicipalitySearch,
): Promise<MunicipalityFinding<ReportMunicipality>> {
  const { results } = await db
    .prepare(STATEMENTS[search.by]())
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
