import type { Issue } from '../../errors/refusal.ts';
import type { Text } from '../../text/text.ts';

/** What a credential names that is configured elsewhere. Codes. */
export interface Named {
  readonly tenant: string;
  readonly municipalities: readonly string[];
  readonly sourceCode: string | null;
}

/** What of that exists. */
export interface ReferenceFacts {
  readonly tenantId: number | null;
  /** Codes of those of the named municipalities that are the tenant's. */
  readonly municipalities: readonly string[];
  /** Codes of those of them that have the named source, switched on or off. */
  readonly municipalitiesWithSource: readonly string[];
}

const NO_TENANT: Text = { en: 'there is no such tenant', it: "l'ente non esiste" };
/** One text for an unknown municipality and for another tenant's. */
const NO_MUNICIPALITY: Text = {
  en: 'the tenant has no municipality of this code',
  it: "l'ente non ha un comune con questo codice",
};
const NO_SOURCE: Text = {
  en: "none of the credential's municipalities has a source of this code",
  it: 'nessuno dei comuni della credenziale ha una fonte con questo codice',
};

/** What is wrong with the names. What rests on a wrong name is not judged: no municipality without its tenant. */
export function referenceIssues(named: Named, facts: ReferenceFacts): Issue[] {
  if (facts.tenantId === null) {
    return [{ path: 'tenant', message: NO_TENANT }];
  }
  const known = new Set(facts.municipalities);
  const wrong = named.municipalities.flatMap((code, index) =>
    known.has(code) ? [] : [{ path: `municipalities.${index}`, message: NO_MUNICIPALITY }],
  );
  if (wrong.length > 0 || named.sourceCode === null || facts.municipalitiesWithSource.length > 0) {
    return wrong;
  }
  return [{ path: 'source_code', message: NO_SOURCE }];
}
