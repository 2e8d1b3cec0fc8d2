import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { AREA_SCOPES, type Credential } from '../../serving/access/credential-record.ts';
import type { ChangeRequest } from './contract.ts';

type Bound = Pick<Credential, 'municipalities' | 'scopes' | 'areas'>;

/**
 * What is wrong with a credential that a request binds to areas, or whose areas it does not change. Each
 * issue is at the property that the request has.
 *
 * @param before the credential as it is; null for a new one
 * @param after the same with the request's changes
 */
export function areaIssues(before: Bound | null, after: Bound, request: ChangeRequest): Issue[] {
  if (after.areas === null) {
    return [];
  }
  const givesAreas = request.areas !== undefined;
  const isOfOneCity = after.municipalities.length === 1;
  // The new city may use the same codes, for other areas.
  const losesCity = !givesAreas && before !== null && !isSameCity(before, after);
  return [
    ...(isOfOneCity && !losesCity
      ? []
      : [
          givesAreas
            ? { path: 'areas', message: SEVERAL_CITIES }
            : { path: 'municipalities', message: OTHER_CITY },
        ]),
    ...(after.scopes.every((scope) => AREA_SCOPES.includes(scope))
      ? []
      : [{ path: request.scopes === undefined ? 'areas' : 'scopes', message: OTHER_SCOPES }]),
  ];
}

const isSameCity = (before: Bound, after: Bound): boolean =>
  before.municipalities.length === after.municipalities.length &&
  before.municipalities.every((code) => after.municipalities.includes(code));

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
