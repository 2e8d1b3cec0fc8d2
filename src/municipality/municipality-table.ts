/** Whether the tenant is active: its own row is read only where none of its municipalities is. */
export const TENANT_ACTIVE = `case when m.id is null then (select active from tenants where id = ?1) else m.tenant_active end`;

/**
 * The end of a statement that reads the active ones `m` among a tenant's municipalities asked for: a row each, two at
 * most, and one with nothing of `m` where there is none. Parameter 1 is the tenant's id, parameter 2 comes from
 * {@link municipalityParameter}.
 *
 * @param joins of further tables, to be read for each of them
 */
export const fromMunicipalities = (codes: readonly string[], joins = ''): string => `
from (select 1)
left join municipalities m
  on m.code ${codes.length > 1 ? 'in (select value from json_each(?2))' : '= ?2'} and m.tenant_id = ?1 and m.active
${joins}
limit 2`;

/** The codes asked for as one parameter: a text for one, a JSON list for several. */
export const municipalityParameter = (codes: readonly string[]): string | null =>
  codes.length > 1 ? JSON.stringify(codes) : (codes[0] ?? null);
