import { databaseNamed } from '../../databases/bindings.ts';
import { allSideBySide } from '../../databases/side-by-side.ts';
import type { Env } from '../../env.ts';
import { readHomeReferences, readWithSource } from './credentials-table.ts';
import type { ReferenceFacts, References } from './references.ts';

/**
 * Which of the tenant, municipalities and source that a credential refers to exist. The home knows all but the sources of
 * the municipalities that live elsewhere. Its directory is renewed before anything is cleaned up where one has lived.
 */
export async function readReferences(env: Env, references: References): Promise<ReferenceFacts> {
  const { elsewhere, ...facts } = await readHomeReferences(env.DB, references);
  const { sourceCode } = references;
  if (sourceCode === null || facts.municipalitiesWithSource.length > 0) {
    return facts;
  }
  const byDatabase = [...Map.groupBy(elsewhere, ({ database }) => database)];
  const found = await allSideBySide(byDatabase, ([name, places]) =>
    readWithSource(
      databaseNamed(env, name),
      places.map(({ code }) => code),
      sourceCode,
    ),
  );
  return { ...facts, municipalitiesWithSource: found.flat() };
}
