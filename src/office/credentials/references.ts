import { type Issue, refuseFields } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import { AREA_SCOPES } from '../../serving/access/scopes.ts';
import { UNKNOWN_TENANT } from '../../serving/administration/fields.ts';
import { read } from '../../storage/db/batch.ts';
import type { ChangeRequest } from './contract.ts';
import { REFERENCES } from './credentials-table.ts';

/**
 * Checks what a new or changed credential refers to, as far as the request says it: what no longer exists of the rest is not the
 * request's mistake.
 *
 * @param before null for a new credential
 * @throws Refusal `INVALID_REQUEST`
 */
export async function requireReferences(
  db: D1Database,
  before: Credential | null,
  after: Credential,
  request: ChangeRequest,
): Promise<void> {
  const { municipalities, source_code, areas } = request;
  const isAsked = [municipalities, source_code, areas].some((given) => given !== undefined);
  const issues = [
    ...areaIssues(before, after, request),
    ...(isAsked ? await missingReferences(db, after, request) : []),
  ];
  if (issues.length > 0) refuseFields(issues);
}

/** Each names the property in the request. */
function areaIssues(before: Credential | null, after: Credential, { areas, scopes }: ChangeRequest): Issue[] {
  if (after.areas === null) return [];
  // The new city may use the same codes, for other areas.
  const losesCity = before !== null && before.municipalities.join() !== after.municipalities.join();
  const isOfOneCity = after.municipalities.length === 1 && !(losesCity && areas === undefined);
  const ofCities = areas
    ? { path: 'areas', message: SEVERAL_CITIES }
    : { path: 'municipalities', message: OTHER_CITY };
  const isInScope = after.scopes.every((scope) => AREA_SCOPES.includes(scope));
  const ofScopes = { path: scopes === undefined ? 'areas' : 'scopes', message: OTHER_SCOPES };
  return [...(isOfOneCity ? [] : [ofCities]), ...(isInScope ? [] : [ofScopes])];
}

/** Does not check municipalities without a tenant, nor a source or areas without municipalities. */
async function missingReferences(
  db: D1Database,
  { tenantCode: tenant, municipalities, sourceCode }: Credential,
  request: ChangeRequest,
): Promise<Issue[]> {
  const areas = request.areas ?? [];
  const [tenants, own, sources, bound] = await read(db, REFERENCES, {
    ...{ tenant, municipalities: JSON.stringify(municipalities), areas: JSON.stringify(areas) },
    sources: JSON.stringify(sourceCode === null ? [] : [sourceCode]),
  });
  if (tenants.length === 0) return [{ path: 'tenant', message: UNKNOWN_TENANT }];
  const missing = missingOf('municipalities', request.municipalities ?? [], own, NO_MUNICIPALITY);
  if (missing.length > 0) return missing;
  const hasNoSource = sourceCode !== null && sources.length === 0;
  return [
    ...(hasNoSource ? [{ path: 'source_code', message: NO_SOURCE }] : []),
    ...missingOf('areas', areas, bound, NO_AREA),
  ];
}

function missingOf(
  path: string,
  codes: readonly string[],
  found: readonly { readonly code: string }[],
  message: Text,
): Issue[] {
  const known = new Set(found.map(({ code }) => code));
  return codes.flatMap((code, index) => (known.has(code) ? [] : [{ path: `${path}.${index}`, message }]));
}

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
