import { and, eq, not } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { municipalities } from '../../storage/db/schema/index.ts';
import { isIn } from '../../storage/db/sql.ts';

/** What decides whether a municipality may be reported on. */
export interface ReportMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly reportEnabled: boolean;
}

/** After a change of the configuration, the state before it must not refuse a call: a snapshot never does. */
export const readReportMunicipality = municipalityReader({
  selection: () => ({ id: municipality.id, report_enabled: municipality.reportEnabled }),
  factsOf: ({ id, report_enabled }) => ({ id, reportEnabled: report_enabled === 1 }),
});

/** The codes of two at most of a tenant's active municipalities: all of them, or these. */
export async function readActiveCodes(
  db: D1Database,
  tenantId: number,
  among: readonly string[] | null,
): Promise<string[]> {
  const rows = await drizzle(db)
    .select({ code: municipalities.code })
    .from(municipalities)
    .where(
      and(
        eq(municipalities.tenantId, tenantId),
        eq(municipalities.active, true),
        not(municipalities.restoring),
        among === null ? undefined : isIn(municipalities.code, among),
      ),
    )
    .limit(2);
  return rows.map(({ code }) => code);
}
