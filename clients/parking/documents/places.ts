import { type Reading, readDocument } from '../../../src/office/configuration/reading.ts';
import type { ConfigurationPlaces } from '../../../src/office/configuration/state.ts';

/** The database of municipalities that do not name one. */
const HOME = 'DB';

export interface Places extends ConfigurationPlaces {
  /** The name of the database where a municipality is, or will be. */
  readonly databaseOf: (code: string) => string;
}

/**
 * The databases of a document's municipalities. Only the service knows which databases exist: a name in the
 * document is accepted here, and the service refuses an unknown one.
 *
 * @param configurations the answers of `GET` about the document's municipalities
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
