import { stopOf } from './failure-advice.ts';
import type { Office } from './office.ts';

/** The known facts of a municipality. */
export interface MunicipalityFacts {
  readonly timezone: string | null;
  /** Its tenant's code. This and all others are null if only the service knows them. */
  readonly tenant: string | null;
  readonly areas: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
  /** Those that may be imported from. */
  readonly sources: ReadonlySet<string> | null;
}

/** A short limit: an option can replace the answer. */
const LOOKUP_MS = 5_000;

export const UNKNOWN: MunicipalityFacts = {
  ...{ timezone: null, tenant: null },
  ...{ areas: null, types: null, sources: null },
};

/**
 * Asks the sources that the profile's secrets allow: the configuration, the public directory, the report.
 * Each may fail; a fact without an answer is unknown.
 *
 * @throws Stop if the administrator or an office is refused: there is no such municipality
 */
export async function municipalityFacts(
  office: Office,
  code: string | undefined,
): Promise<MunicipalityFacts> {
  return (
    (await byConfiguration(office, code)) ??
    (await byDirectory(office, code)) ??
    (await byReport(office, code))
  );
}

async function byConfiguration(office: Office, code: string | undefined): Promise<MunicipalityFacts | null> {
  if (code === undefined) return null;
  const found = await office.client.getConfiguration({ municipality_code: code }, short(office));
  // Most credentials are not an office's: the other sources answer for them.
  if (!found.ok && found.failure === 'refused' && found.code !== 'SCOPE_NOT_ALLOWED') throw stopOf(found);
  const municipality = found.ok ? found.answer.configuration.municipalities[0] : undefined;
  if (municipality === undefined) return null;
  return {
    timezone: municipality.timezone,
    tenant: municipality.tenant,
    areas: new Set(municipality.areas.map((area) => area.code)),
    types: new Set(municipality.subscription_types.map((type) => type.code)),
    sources: activeCodes(municipality.sources),
  };
}

async function byDirectory(office: Office, code: string | undefined): Promise<MunicipalityFacts | null> {
  if (code === undefined) return null;
  const found = await office.client.listPublicMunicipalities({}, short(office));
  const listed = found.ok ? found.answer.municipalities.find((one) => one.code === code) : undefined;
  return listed === undefined ? null : { ...UNKNOWN, timezone: listed.timezone };
}

async function byReport(office: Office, code: string | undefined): Promise<MunicipalityFacts> {
  if (office.connection.accessToken === undefined) return UNKNOWN;
  const input = code === undefined ? {} : { municipality_code: code };
  const report = await office.client.reportActiveByArea(input, short(office));
  if (!report.ok) return UNKNOWN;
  const { timezone, sources } = report.answer;
  return { ...UNKNOWN, timezone, sources: activeCodes(sources) };
}

const activeCodes = (items: readonly { readonly code: string; readonly active: boolean }[]) =>
  new Set(items.filter(({ active }) => active).map(({ code }) => code));

const short = ({ call }: Office) => ({ ...call, budgetMs: LOOKUP_MS });
