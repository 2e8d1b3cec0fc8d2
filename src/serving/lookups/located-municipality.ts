import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Isolate } from '../../base/platform/isolate.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { completeArrival } from '../../storage/databases/arrival-table.ts';
import { getDatabase, HOME, hasSeveral } from '../../storage/databases/bindings.ts';
import { DatabaseLocations } from '../../storage/databases/database-locations.ts';
import { followRows, noRow } from '../../storage/databases/lives-at.ts';
import { type Grant, narrowTo } from '../access/grant.ts';

/** Where a statement looks for the municipality of a call. */
export type MunicipalitySearch =
  /** Before the grant: the code that the call names. */
  | { readonly by: 'code'; readonly code: string }
  /** Before the grant, without a code: the credential's municipalities in the database. */
  | { readonly by: 'credential'; readonly credentialId: string }
  | GrantedSearch;

/** After the grant: the active ones among what the credential's object allows. */
interface GrantedSearch {
  readonly by: 'grant';
  readonly tenantId: number;
  readonly codes: readonly string[];
}

/** The part of a municipality's row that every operation reads. */
export interface FoundMunicipality {
  readonly code: string;
  readonly tenantId: number;
  readonly active: boolean;
  /** The name of the database where it lives, if not the one that was asked. The rest of the row is then stale. */
  readonly movedTo: string | null;
  /** It is being copied from there to the one that was asked. */
  readonly isArriving: boolean;
  /** How often it had moved when it came to this database or left it. */
  readonly stay: number;
}

/** The result of looking for a call's municipality. */
export interface MunicipalityFinding<Municipality extends FoundMunicipality> {
  /** Whether the tenant is active. False where nothing was found before the grant: then it is not known. */
  readonly tenantActive: boolean;
  /** Two stand for "two or more". */
  readonly municipalities: readonly Municipality[];
}

/** What to read before the grant, while the credential's rights are not known yet. */
function searchEarly(code: string | undefined, credentialId: string): MunicipalitySearch {
  return code === undefined ? { by: 'credential', credentialId } : { by: 'code', code };
}

/** What to read once the credential's object has said which municipalities this call may be for. */
function searchGranted({ tenantId, municipalities }: Grant): GrantedSearch {
  return { by: 'grant', tenantId, codes: municipalities };
}

/**
 * Whether the facts read before the grant settle which municipality the call is for: it is exactly the one
 * that the grant allows, active and here. Otherwise (another tenant's code, a row that lags behind the
 * object, several, inactive, or moved elsewhere) it is dropped and read again as granted, so that all
 * refusals cost the same.
 */
export function settlesMunicipality(finding: MunicipalityFinding<FoundMunicipality>, grant: Grant): boolean {
  const choice = chooseMunicipality(finding, grant.municipalities);
  return (
    'chosen' in choice &&
    finding.municipalities.length === 1 &&
    choice.chosen.tenantId === grant.tenantId &&
    choice.chosen.code === grant.municipalities[0] &&
    choice.chosen.movedTo === null
  );
}

/**
 * Which of the credential's municipalities leave a choice where a call names none. All of them, so that switching a city
 * on or off never changes which city a call is about; the report alone counts the active ones.
 */
type Counted = 'all' | 'active';

/**
 * The municipality that a call is for. Otherwise the code of the refusal.
 *
 * @param granted the codes that the grant leaves: one at most where the call names its municipality
 */
export function chooseMunicipality<Municipality extends FoundMunicipality>(
  { tenantActive, municipalities }: MunicipalityFinding<Municipality>,
  granted: readonly string[],
  counted: Counted = 'all',
): { readonly chosen: Municipality } | { readonly refused: ErrorCode } {
  const [municipality, another] = municipalities.filter(({ active }) => active);
  if (!tenantActive) {
    return { refused: 'TENANT_DISABLED' };
  }
  if (counted === 'all' && granted.length > 1) {
    return { refused: 'MUNICIPALITY_REQUIRED' };
  }
  if (municipality === undefined) {
    return { refused: 'MUNICIPALITY_NOT_ALLOWED' };
  }
  return another === undefined ? { chosen: municipality } : { refused: 'MUNICIPALITY_REQUIRED' };
}

export type Finding = MunicipalityFinding<FoundMunicipality>;

/** Reads a call's facts from a database, with the municipality's own row in the same statement. */
type ReadFrom<Found extends Finding> = (db: D1Database, search: MunicipalitySearch) => Promise<Found>;

/** The rows, and their database. */
export interface Located<Found extends Finding> {
  readonly found: Found;
  readonly db: D1Database;
}

/** The parts of a call that a look-up needs. */
interface LookupContext {
  readonly env: Env;
  readonly isolate: Isolate;
}

/**
 * Reads before the grant, once, in the database of this isolate's hint. A municipality that lives elsewhere
 * is followed only after the grant, so that a caller learns nothing of other tenants' municipalities.
 *
 * @param code the one that the call names, if any
 */
export async function readEarly<Found extends Finding>(
  { env, isolate }: LookupContext,
  credentialId: string,
  code: string | undefined,
  read: ReadFrom<Found>,
): Promise<Located<Found>> {
  if (!hasSeveral(env)) {
    return { found: await read(env.DB, searchEarly(code, credentialId)), db: env.DB };
  }
  const locations = isolate.get(DatabaseLocations);
  const known = code ?? locations.ofCredential(credentialId) ?? undefined;
  const name = known === undefined ? HOME : await locations.hint(env, known);
  const db = getDatabase(env, name);
  const found = await read(db, searchEarly(known, credentialId));
  for (const { code: foundCode, movedTo } of found.municipalities) {
    locations.remember(foundCode, movedTo ?? name);
  }
  if (known !== undefined && found.municipalities.length === 0) {
    // Finding nothing decides nothing: after the grant the home is asked.
    locations.disprove(known, name);
  }
  return { found, db };
}

/** A municipality that is chosen, granted and active, and the database where it lives. */
export interface ChosenMunicipality<Municipality extends FoundMunicipality> {
  readonly municipality: Municipality;
  readonly db: D1Database;
}

/**
 * Chooses the municipality of a granted call, for operations that know only late which one is named, or whether they need
 * one. All others leave it to the pipeline.
 *
 * @param code the one that the call names, if any
 * @param counted which of the credential's municipalities leave a choice where the call names none
 * @throws Refusal `TENANT_DISABLED`; `MUNICIPALITY_NOT_ALLOWED` for one that is unknown, inactive or not the credential's,
 * and for a credential without any; `MUNICIPALITY_REQUIRED` where it has several and the call names none
 */
export async function chooseGranted<Municipality extends FoundMunicipality>(
  context: LookupContext,
  grant: Grant,
  code: string | undefined,
  read: (db: D1Database, search: MunicipalitySearch) => Promise<MunicipalityFinding<Municipality>>,
  counted: Counted = 'all',
): Promise<ChosenMunicipality<Municipality>> {
  const narrowed = narrowTo(code ?? null, grant);
  const { found, db } = await readGranted(context, narrowed, code, read, counted);
  const choice = chooseMunicipality(found, narrowed.municipalities, counted);
  if ('refused' in choice) {
    refuse(choice.refused);
  }
  return { municipality: choice.chosen, db };
}

/**
 * Reads within the grant: by the home's directory if the grant leaves a choice, then in the database that the
 * chosen municipality's own row names.
 *
 * @param code the one that the call names, if any
 * @throws Error when a row leads to a database that has no row of the municipality, or is not bound: never a negative
 */
export async function readGranted<Found extends Finding>(
  context: LookupContext,
  grant: Grant,
  code: string | undefined,
  read: ReadFrom<Found>,
  counted: Counted = 'all',
): Promise<Located<Found>> {
  const { env, isolate } = context;
  const locations = isolate.get(DatabaseLocations);
  const [only, another] = grant.municipalities;
  const one = another === undefined ? only : undefined;
  const hint = one === undefined ? HOME : await locations.hint(env, one);
  const hinted =
    one !== undefined && hint !== HOME
      ? await follow(context, grant, { code: one, movedTo: hint }, read)
      : null;
  const located = hinted ?? (await readByDirectory(context, grant, read, counted));
  if (code === undefined) {
    const isElsewhere = one !== undefined && located.db !== env.DB;
    locations.rememberCredential(grant.credentialId, isElsewhere ? one : null);
  }
  return located;
}

async function readByDirectory<Found extends Finding>(
  context: LookupContext,
  grant: Grant,
  read: ReadFrom<Found>,
  counted: Counted,
): Promise<Located<Found>> {
  const db = context.env.DB;
  const located = { found: await read(db, searchGranted(grant)), db };
  const choice = chooseMunicipality(located.found, grant.municipalities, counted);
  if ('refused' in choice || choice.chosen.movedTo === null) {
    return located;
  }
  const { code, movedTo } = choice.chosen;
  const followed = await follow(context, grant, { code, movedTo }, read);
  if (followed === null) {
    throw noRow(code, movedTo);
  }
  return followed;
}

/** A municipality has moved between two reads of one call: the first read is not used. */
export class MovedOn extends Error {
  constructor(code: string) {
    super(`the municipality ${code} has moved while it was being read`);
  }
}

/**
 * Call it for each further read of a municipality, with the row of that read.
 *
 * @param found as it was when it was found here
 * @throws MovedOn
 */
export function requireStillHere(
  found: FoundMunicipality,
  { movedTo, isArriving }: Pick<FoundMunicipality, 'movedTo' | 'isArriving'>,
): void {
  if (movedTo !== null && !(isArriving && found.isArriving)) {
    throw new MovedOn(found.code);
  }
}

/** As {@link followRows}, for the tenant of the grant. */
async function follow<Found extends Finding>(
  { env, isolate }: LookupContext,
  { tenantId }: Grant,
  { code, movedTo: first }: { readonly code: string; readonly movedTo: string },
  read: ReadFrom<Found>,
): Promise<Located<Found> | null> {
  const locations = isolate.get(DatabaseLocations);
  const place = await followRows(env, code, first, async (db) => {
    const found = await read(db, { by: 'code', code });
    const [municipality] = found.municipalities;
    if (municipality === undefined) {
      return null;
    }
    if (municipality.tenantId !== tenantId) {
      refuse('MUNICIPALITY_NOT_ALLOWED');
    }
    const { movedTo, isArriving: arriving, stay } = municipality;
    return { row: { movedTo, arriving, stay }, found };
  });
  if (place === null) {
    locations.disprove(code, first);
    return null;
  }
  const { found, db, name, row } = place;
  if (row.movedTo !== null) {
    await settle(db, code, { from: row.movedTo, stay: row.stay });
  }
  locations.remember(code, name);
  return { found, db };
}

/** The move was cut off at its last step: the first call completes it. The copy is whole, so failing here does no harm. */
async function settle(
  db: D1Database,
  code: string,
  arrival: Parameters<typeof completeArrival>[2],
): Promise<void> {
  try {
    await completeArrival(db, code, arrival);
  } catch (error) {
    logEvent('warn', 'arrival_not_completed', { municipality_code: code, message: errorMessage(error) });
  }
}
