import { type Reading, readDocument } from '../../../src/office/configuration/reading.ts';
import type { ConfigurationPlaces } from '../../../src/office/configuration/state.ts';

/** The database of municipalities that do not say another. */
const HOME = 'DB';

export interface Places extends ConfigurationPlaces {
  /** The name of the database where a municipality is, or will be. */
  readonly databaseOf: (code: string) => string;
}

/**
 * Where the municipalities of a document are. Which databases there are, only the service knows: a name that the document
 * gives is taken, and the service refuses what does not exist.
 *
 * @param configurations what `GET` has answered of the document's municipalities
 */
export function placesOf(configurations: readonly unknown[], { municipalities }: Reading): Places {
  const stored = configurations.flatMap((configuration) => readDocument(configuration).municipalities);
  const directory = new Map(
    stored.map(({ code, given }) => [
      code,
      { code, database: given.database ?? HOME, tenant: given.tenant ?? '' },
    ]),
  );
  const asked = new Map(municipalities.map(({ code, given }) => [code, given.database]));
  return {
    directory,
    bound: [HOME, ...[...asked.values()].filter((name) => name !== undefined)],
    databaseOf: (code) => directory.get(code)?.database ?? asked.get(code) ?? HOME,
  };
}
