import type { Grant } from '../access/grant.ts';
import { invalidRequest, Refusal } from '../errors/refusal.ts';
import { readGranted } from '../lookups/located-municipality.ts';
import { chooseMunicipality } from '../lookups/municipality-choice.ts';
import type { CredentialCallContext } from '../pipeline/operation.ts';
import { type Municipality, readMunicipalities, readSourceAndAreas } from './target-table.ts';

/** The source that a session import is for, and what the codes of its lines mean. */
export interface SessionTarget {
  readonly sourceId: number;
  readonly sourceCode: string;
  /** Ids by code, of all areas of the municipality. */
  readonly areas: ReadonlyMap<string, number>;
  readonly openSessionMaxHours: number;
}

/** A municipality, and the database where it lives. */
export interface LocatedMunicipality {
  readonly municipality: Municipality;
  readonly db: D1Database;
}

/**
 * The municipality that a call is for, among the active ones of its credential.
 *
 * @param asked the code that the call names, if any: without one, the credential's only active municipality
 * @throws Refusal `TENANT_DISABLED`; `MUNICIPALITY_NOT_ALLOWED` for one that is unknown, inactive or not the
 *   credential's, and where there is none at all; `MUNICIPALITY_REQUIRED` where it has several and the call names none
 */
export async function chooseImportMunicipality(
  context: CredentialCallContext,
  grant: Grant,
  asked: string | undefined,
): Promise<LocatedMunicipality> {
  const municipalities =
    asked === undefined ? grant.municipalities : grant.municipalities.filter((code) => code === asked);
  const { found, db } = await readGranted(context, { ...grant, municipalities }, asked, readMunicipalities);
  const choice = chooseMunicipality(found);
  if ('refused' in choice) {
    throw new Refusal(choice.refused);
  }
  return { municipality: choice.chosen, db };
}

/**
 * The code of the source that a session import is for: the one its credential is bound to, else the one it names.
 *
 * @returns null when the call names another than the credential is bound to: to that credential, there is none such
 * @throws Refusal `INVALID_REQUEST` when it must name one and does not
 */
export function sourceCodeOf(grant: Grant, asked: string | undefined): string | null {
  const code = asked ?? grant.sourceCode;
  if (code === null) {
    const message = { en: 'is required', it: 'è obbligatorio' };
    throw invalidRequest([{ path: 'source_code', message }]);
  }
  return grant.sourceCode === null || grant.sourceCode === code ? code : null;
}

/**
 * The source, and the areas that its sessions may name.
 *
 * @param sourceCode null for none
 * @throws Refusal `SOURCE_NOT_FOUND` for one that is unknown or inactive
 */
export async function readSessionTarget(
  db: D1Database,
  municipality: Municipality,
  sourceCode: string | null,
): Promise<SessionTarget> {
  if (sourceCode === null) {
    throw new Refusal('SOURCE_NOT_FOUND');
  }
  const { source, areas } = await readSourceAndAreas(db, municipality, sourceCode);
  if (source === null) {
    throw new Refusal('SOURCE_NOT_FOUND');
  }
  return { sourceId: source.id, sourceCode, areas, openSessionMaxHours: source.openSessionMaxHours };
}
