import { EXIT } from '../exit-codes.ts';
import { type MunicipalityFacts, municipalityFacts, UNKNOWN } from '../municipality-facts.ts';
import type { Office } from '../office.ts';
import { Stop } from '../stop.ts';
import { checkedZone } from './open-rows.ts';

interface Asked {
  readonly municipality?: string | undefined;
  readonly source?: string | undefined;
  readonly dryRun?: true | undefined;
}

/**
 * The facts of a municipality that an import needs: the time zone for a table, its codes to judge lines here.
 *
 * @param timezone the option's value
 * @throws Stop for a dry run of an unknown source
 */
export async function importFacts(
  office: Office,
  asked: Asked,
  timezone: string | undefined,
  hasTable: boolean,
): Promise<MunicipalityFacts> {
  const zone = timezone === undefined ? null : checkedZone(timezone);
  if (!asked.dryRun && (zone !== null || !hasTable)) return { ...UNKNOWN, timezone: zone };
  const found = await lookUp(office, asked);
  if (asked.dryRun) judgeSource(office, asked.source, found);
  return { ...found, timezone: zone ?? found.timezone };
}

/** Without a service a dry run still checks what it can. */
async function lookUp(office: Office, { municipality, dryRun }: Asked): Promise<MunicipalityFacts> {
  try {
    return await municipalityFacts(office, office.municipality(municipality).municipality_code);
  } catch (error) {
    if (error instanceof Stop && dryRun && error.exitCode !== EXIT.refused) return UNKNOWN;
    throw error;
  }
}

/** Checks the source if it can be read, and notes which codes cannot be checked here. */
function judgeSource(
  office: Office,
  source: string | undefined,
  { sources, areas }: MunicipalityFacts,
): void {
  if (source !== undefined && sources !== null && !sources.has(source)) throw unknownSource(source, sources);
  if (areas !== null) return;
  office.note({
    en: 'Codes of areas and types are not judged: that takes a municipality and an office’s token.',
    it: 'I codici di aree e tipi non sono verificati: servono un comune e il token di un ufficio.',
  });
}

function unknownSource(source: string, known: ReadonlySet<string>): Stop {
  const codes = [...known].sort().join(', ') || '–';
  return new Stop(
    EXIT.refused,
    {
      en: `The municipality has no active source ${source}. It has: ${codes}`,
      it: `Il comune non ha una sorgente attiva ${source}. Ha: ${codes}`,
    },
    { code: 'SOURCE_NOT_FOUND' },
  );
}
