import { sql } from 'drizzle-orm';
import { areas } from '../../src/db/schema/index.ts';
import { columns, type RowOf, statement } from '../../src/db/sql.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import { QUERY_BODY } from '../../src/http/body.ts';
import {
  chooseMunicipality,
  type GrantedSearch,
  searchGranted,
} from '../../src/lookups/municipality-choice.ts';
import {
  findingOf,
  fromMunicipalities,
  MUNICIPALITY_COLUMNS,
  m,
  municipalityParameters,
} from '../../src/lookups/municipality-table.ts';
import { operation } from '../../src/pipeline/operation.ts';
import {
  countAreasAnswer,
  countAreasPath,
  countAreasRequest,
  countLettersAnswer,
  countLettersRequest,
} from './contract.ts';

/** Counts the areas of a municipality. Nobody needs it: it shows what adding an operation takes. */
export const countAreas = operation({
  id: 'countAreas',
  method: 'POST',
  // A parameter ends it: the shared suites have to get along with that.
  path: '/api/v2/toys/areas/:area_code',
  pathParameters: countAreasPath,
  access: {
    by: 'credential',
    scope: 'report',
    budget: 'calls',
    tokenHeaders: 'all',
    whenObjectIsAway: 'fail',
  },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: countAreasRequest, maxBytes: QUERY_BODY },
  answer: countAreasAnswer,
  handle: async (_request, { admission, deadline, env }) => {
    const grant = await admission.granted;
    const choice = chooseMunicipality(await deadline.race(readAreaCounts(env.DB, searchGranted(grant))));
    if ('refused' in choice) {
      return { refused: new Refusal(choice.refused) };
    }
    const { code, areasCount } = choice.chosen;
    return { answer: { municipality_code: code, areas_count: areasCount }, municipality: code };
  },
});

const SELECTION = {
  ...MUNICIPALITY_COLUMNS,
  areas_count: sql<number>`(select count(*) from ${areas} where ${areas.municipalityId} = ${m.id})`,
} as const;
const STATEMENT = statement(() => sql`select ${columns(SELECTION)} ${fromMunicipalities('grant')}`);

async function readAreaCounts(db: D1Database, search: GrantedSearch) {
  const { results } = await db
    .prepare(STATEMENT())
    .bind(...municipalityParameters(search))
    .all<RowOf<typeof SELECTION>>();
  const { tenantActive, rows } = findingOf(results);
  return {
    tenantActive,
    municipalities: rows.map(({ row, place }) => ({ ...place, areasCount: row.areas_count })),
  };
}

/** Counts the letters of a name, for the administrator, without asking the database. */
export const countLetters = operation({
  id: 'countLetters',
  method: 'PUT',
  path: '/api/v2/admin/toys/letters',
  access: { by: 'administrator' },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: countLettersRequest, maxBytes: QUERY_BODY },
  answer: countLettersAnswer,
  handle: async ({ body }) => ({ answer: { letters_count: [...body.name].length } }),
});
