import { sql } from 'drizzle-orm';
import type { FoundMunicipality } from '../../serving/lookups/municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';

/** What decides whether a municipality may be reported on. */
export interface ReportMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly reportEnabled: boolean;
}

/**
 * The municipalities that the credential's object allows. Read it from the database, not from a snapshot: after a change of
 * the configuration, the state before it must not refuse a call.
 */
export const readReportMunicipalities = municipalityReader({
  selection: () => ({
    id: sql<number | null>`${municipality.id}`,
    report_enabled: sql<number | null>`${municipality.reportEnabled}`,
  }),
  // The id is not null where the row has a municipality.
  factsOf: ({ id, report_enabled }) => ({ id: id ?? 0, reportEnabled: report_enabled === 1 }),
});
