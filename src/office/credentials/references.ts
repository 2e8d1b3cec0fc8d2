import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';

/** The codes by which a credential refers to the configuration. */
export interface References {
  readonly tenant: string;
  readonly municipalities: readonly string[];
  readonly sourceCode: string | null;
  /** Codes of areas of its one municipality. Empty: it is not bound to areas. */
  readonly areas: readonly string[];
}

/** The existing ones. */
export interface ReferenceFacts {
  readonly tenantId: number | null;
  /** The number of the tenant's credentials, with revoked ones; counted up to the limit. */
  readonly credentials: number;
  /** Codes of the municipalities that exist and belong to the tenant. */
  readonly municipalities: readonly string[];
  /** Codes of those municipalities that have the source, active or not. */
  readonly municipalitiesWithSource: readonly string[];
  /** Codes of the areas that the municipality has, active or not. */
  readonly areas: readonly string[];
}

/** The most credentials of a tenant: several fleets of meters and gates. */
export const MAX_CREDENTIALS = 10_000;

const NO_ROOM: Text = {
  en: `the tenant has ${MAX_CREDENTIALS} credentials, revoked ones included, and may have no more`,
  it: `l'ente ha ${MAX_CREDENTIALS} credenziali, incluse le revocate, e non può averne altre`,
};

/** Returns the issues of one more credential. */
export const roomIssues = ({ credentials }: ReferenceFacts): Issue[] =>
  credentials >= MAX_CREDENTIALS ? [{ path: 'tenant', message: NO_ROOM }] : [];

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

/** Returns the issues of the references. Does not check municipalities without a tenant, or a source without municipalities. */
export function referenceIssues(references: References, facts: ReferenceFacts): Issue[] {
  if (facts.tenantId === null) {
    return [{ path: 'tenant', message: NO_TENANT }];
  }
  const existing = new Set(facts.municipalities);
  const wrong = references.municipalities.flatMap((code, index) =>
    existing.has(code) ? [] : [{ path: `municipalities.${index}`, message: NO_MUNICIPALITY }],
  );
  if (wrong.length > 0) {
    return wrong;
  }
  const hasSource = references.sourceCode === null || facts.municipalitiesWithSource.length > 0;
  const known = new Set(facts.areas);
  return [
    ...(hasSource ? [] : [{ path: 'source_code', message: NO_SOURCE }]),
    ...references.areas.flatMap((code, index) =>
      known.has(code) ? [] : [{ path: `areas.${index}`, message: NO_AREA }],
    ),
  ];
}
