import type { Office } from './office.ts';

/** What is known here of a municipality. */
export interface MunicipalityFacts {
  readonly timezone: string | null;
  /** Codes; null where only the service knows them. */
  readonly areas: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

/** Nobody waits longer for what can also be said by an option. */
const LOOKUP_MS = 5_000;

export const UNKNOWN: MunicipalityFacts = { timezone: null, areas: null, types: null };

/**
 * Asks whoever may be asked with what the profile holds: the configuration, the public directory, the report. None of
 * them has to answer: what nobody tells is unknown.
 */
export async function municipalityFacts(office: Office, code: string | undefined): Promise<MunicipalityFacts> {
  const { connection, client } = office;
  if (code !== undefined && connection.adminToken !== undefined) {
    const found = await client.getConfiguration({ municipality_code: code }, { ...office.call, budgetMs: LOOKUP_MS });
    const municipality = found.ok ? found.answer.configuration.municipalities[0] : undefined;
    if (municipality !== undefined) {
      return {
        timezone: municipality.timezone,
        areas: new Set(municipality.areas.map((area) => area.code)),
        types: new Set(municipality.subscription_types.map((type) => type.code)),
      };
    }
  }
  if (code !== undefined) {
    const found = await client.listPublicMunicipalities({}, { ...office.call, budgetMs: LOOKUP_MS });
    const listed = found.ok ? found.answer.municipalities.find((one) => one.code === code) : undefined;
    if (listed !== undefined) return { ...UNKNOWN, timezone: listed.timezone };
  }
  if (connection.accessToken !== undefined) {
    const input = code === undefined ? {} : { municipality_code: code };
    const report = await client.reportActiveByArea(input, { ...office.call, budgetMs: LOOKUP_MS });
    if (report.ok) return { ...UNKNOWN, timezone: report.answer.timezone };
  }
  return UNKNOWN;
}
