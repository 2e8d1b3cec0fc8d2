/**
 * The end of a statement that reads a tenant `t` and the active ones `m` among the municipalities asked for: a row
 * each, two at most, and one with nothing of `m` where there is none. Parameter 1 is the tenant's id, parameter 2
 * comes from {@link municipalityParameter}.
 *
 * @param joins of further tables, to be read for each of them
 */
export const fromMunicipalities = (codes: readonly string[], joins = ''): string => `
from tenants t
left join municipalities m
  on m.code ${codes.length > 1 ? 'in (select value from json_each(?2))' : '= ?2'} and m.tenant_id = t.id and m.active
${joins}
where t.id = ?1
limit 2`;

/** The codes asked for as one parameter: a text for one, a JSON list for several. */
export const municipalityParameter = (codes: readonly string[]): string | null =>
  codes.length > 1 ? JSON.stringify(codes) : (codes[0] ?? null);
