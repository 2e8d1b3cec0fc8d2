import { sql } from 'drizzle-orm';
import type * as z from 'zod';
import { QUERY_BODY } from '../../src/serving/http/body.ts';
import type { FoundMunicipality } from '../../src/serving/lookups/located-municipality.ts';
import { municipality, municipalityReader } from '../../src/serving/lookups/municipality-table.ts';
import { operation, type ValidRequest } from '../../src/serving/pipeline/operation.ts';
import type { MunicipalityReading } from '../../src/serving/pipeline/reading.ts';
import { areas } from '../../src/storage/db/schema/index.ts';
import {
  countAreasAnswer,
  countAreasPath,
  countAreasRequest,
  countLettersAnswer,
  countLettersRequest,
} from './contract.ts';

interface CountedMunicipality extends FoundMunicipality {
  readonly areasCount: number;
}

const readAreaCounts = municipalityReader({
  selection: () => ({
    areas_count: sql<number>`(select count(*) from ${areas} where ${areas.municipalityId} = ${municipality.id})`,
  }),
  factsOf: ({ areas_count }) => ({ areasCount: areas_count }),
});

const reads: MunicipalityReading<
  ValidRequest<z.infer<typeof countAreasRequest>>,
  undefined,
  CountedMunicipality
> = {
  kind: 'municipality',
  early: true,
  retried: false,
  replica: false,
  code: ({ body }) => body.municipality_code,
  query: () => undefined,
  read: (db, search) => readAreaCounts(db, search),
};

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
  reads,
  answer: countAreasAnswer,
  handle: async (_request, { municipality: { code, areasCount } }) => ({
    answer: { municipality_code: code, areas_count: areasCount },
  }),
});

/** Counts the letters of a name, for the administrator, without asking the database. */
export const countLetters = operation({
  id: 'countLetters',
  method: 'PUT',
  path: '/api/v2/admin/toys/letters',
  access: { by: 'administrator', office: 'nothing' },
  deadlineMs: 5_000,
  body: { kind: 'json', schema: countLettersRequest, maxBytes: QUERY_BODY },
  answer: countLettersAnswer,
  handle: async ({ body }) => ({ answer: { letters_count: [...body.name].length } }),
});
