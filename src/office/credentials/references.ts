import { type Issue, refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import { AREA_SCOPES } from '../../serving/access/scopes.ts';
import type { ChangeRequest } from './contract.ts';
import { type ReferenceFacts, type References, readReferences } from './credentials-table.ts';

type Bound = Pick<Credential, 'municipalities' | 'scopes' | 'areas'>;

/**
 * Checks all that a new credential refers to.
 *
 * @throws Refusal `INVALID_REQUEST`
 */
export async function requireReferences(
  db: D1Database,
  references: References,
  scopes: Credential['scopes'],
): Promise<void> {
  const { municipalities, areas } = references;
  const bound = { municipalities, scopes, areas: areas.length === 0 ? null : areas };
  const facts = await readReferences(db, references);
  const issues = [
    ...areaIssues(null, bound, {
      municipalities: [...municipalities],
      scopes: [...scopes],
      areas: [...areas],
    }),
    ...referenceIssues(references, facts),
  ];
  if (issues.length > 0) refuseFields(issues);
}

/**
 * Checks what a change refers to. Ignores municipalities that no longer exist if the request does not change them: they are
 * not its mistake.
 *
 * @throws Refusal `INVALID_REQUEST`
 */
export async function requireChangedReferences(
  db: D1Database,
  before: Credential,
  changed: Credential,
  request: ChangeRequest,
): Promise<void> {
  const { municipalities, source_code, areas } = request;
  const others = areaIssues(before, changed, request);
  if (others.length === 0 && [municipalities, source_code, areas].every((given) => given === undefined))
    return;
  const references = {
    tenant: before.tenantCode,
    // In the order of the request, whose positions are in the paths of the issues.
    municipalities: municipalities ?? before.municipalities,
    sourceCode: source_code === undefined ? before.sourceCode : source_code,
    // As for municipalities: earlier bindings are not the request's mistake.
    areas: areas ?? [],
  };
  const facts = await readReferences(db, references);
  const checked = { ...references, municipalities: municipalities ?? facts.municipalities };
  const issues = [...others, ...referenceIssues(checked, facts)];
  if (issues.length > 0) refuseFields(issues);
}

/**
 * The issues of a credential that a request binds to areas, or whose areas it does not change. Each names the property in
 * the request.
 *
 * @param before the credential as it is; null for a new one
 */
function areaIssues(before: Bound | null, after: Bound, request: ChangeRequest): Issue[] {
  if (after.areas === null) return [];
  const givesAreas = request.areas !== undefined;
  // The new city may use the same codes, for other areas.
  const losesCity =
    !givesAreas && before !== null && before.municipalities.join() !== after.municipalities.join();
  const isOfOneCity = after.municipalities.length === 1 && !losesCity;
  const isInScope = after.scopes.every((scope) => AREA_SCOPES.includes(scope));
  const ofCities = givesAreas
    ? { path: 'areas', message: SEVERAL_CITIES }
    : { path: 'municipalities', message: OTHER_CITY };
  const ofScopes = { path: request.scopes === undefined ? 'areas' : 'scopes', message: OTHER_SCOPES };
  return [...(isOfOneCity ? [] : [ofCities]), ...(isInScope ? [] : [ofScopes])];
}

/** Does not check municipalities without a tenant, or a source without municipalities. */
function referenceIssues(references: References, facts: ReferenceFacts): Issue[] {
  if (!facts.hasTenant) return [{ path: 'tenant', message: NO_TENANT }];
  const existing = new Set(facts.municipalities);
  const wrong = references.municipalities.flatMap((code, index) =>
    existing.has(code) ? [] : [{ path: `municipalities.${index}`, message: NO_MUNICIPALITY }],
  );
  if (wrong.length > 0) return wrong;
  const known = new Set(facts.areas);
  return [
    ...(references.sourceCode === null || facts.hasSource
      ? []
      : [{ path: 'source_code', message: NO_SOURCE }]),
    ...references.areas.flatMap((code, index) =>
      known.has(code) ? [] : [{ path: `areas.${index}`, message: NO_AREA }],
    ),
  ];
}

const NO_TENANT: Text = { en: 'this tenant does not exist', it: "l'ente non esiste" };
/** The same text for an unknown municipality and for one of another tenant. */
const NO_MUNICIPALITY: Text = {
  en: 'the tenant has no municipality with this code',
  it: "l'ente non ha un comune con questo codice",
};
const NO_SOURCE: Text = {
  en: "none of the credential's municipalities has a source with this code",
  it: 'nessuno dei comuni della credenziale ha una fonte con questo codice',
};
const NO_AREA: Text = {
  en: 'the municipality has no area with this code',
  it: 'il comune non ha un’area con questo codice',
};
const NAMES = AREA_SCOPES.join(', ');
const SEVERAL_CITIES: Text = {
  en: 'a credential that is bound to areas has exactly one municipality',
  it: 'una credenziale limitata ad alcune aree ha esattamente un comune',
};
const OTHER_CITY: Text = {
  en: 'the credential is bound to areas of another municipality: give areas too, or null',
  it: 'la credenziale è limitata ad aree di un altro comune: indicare anche areas, o null',
};
const OTHER_SCOPES: Text = {
  en: `a credential that is bound to areas has only these scopes: ${NAMES}`,
  it: `una credenziale limitata ad alcune aree ha soltanto questi scope: ${NAMES}`,
};
