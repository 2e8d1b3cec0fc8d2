import type { Env } from '../../env.ts';
import { completeArrival } from '../../storage/databases/arrival-table.ts';
import { databasesOf, getDatabase, HOME, isBound } from '../../storage/databases/bindings.ts';
import { type CameFrom, livesAt } from '../../storage/databases/lives-at.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import {
  type Asked,
  type DatabaseState,
  readConfiguration,
  type WritablePlace,
} from './configuration-table.ts';
import type {
  ByCode,
  ConfigurationPlaces,
  ConfigurationState,
  Municipality,
  MunicipalityPlace,
  MunicipalityState,
} from './state.ts';

type Tenants = ConfigurationState['tenants'];

/** The configuration of municipalities, each from the database where it lives. */
export interface ServiceState extends ConfigurationState, ConfigurationPlaces {
  /** The rows of the tenants outside the home, by the database's name. */
  readonly tenantsElsewhere: ReadonlyMap<string, Tenants>;
  /** The home's rows of the municipalities. For one that lives elsewhere, it should equal the municipality's own row. */
  readonly homeRows: ByCode<Municipality>;
  /** Codes of municipalities whose writes are stopped. */
  readonly stopped: readonly string[];
}

/**
 * Reads the tenants and municipalities that exist, from the home, then in parallel from the databases that its directory
 * names.
 *
 * @param alsoTenantsOf names of databases to read tenants from as well; unbound names are ignored
 * @throws Error if one of the databases cannot be read: a document is checked as a whole
 */
export async function readEverywhere(
  env: Env,
  asked: Asked,
  alsoTenantsOf: readonly string[] = [],
): Promise<ServiceState> {
  const home = await readConfiguration(env.DB, asked);
  const gathering = new Gathering(env, asked, home);
  await gathering.follow(alsoTenantsOf.filter((name) => name !== HOME && isBound(env, name)));
  return gathering.state();
}

class Gathering {
  readonly #env: Env;
  readonly #asked: Asked;
  readonly #home: DatabaseState;
  readonly #living = new Map<string, MunicipalityState>();
  readonly #places = new Map<string, MunicipalityPlace>();
  readonly #tenants = new Map<string, Tenants>();
  readonly #stopped: string[] = [];
  /** By the name of a database, the codes of municipalities whose rows point to it, each with the row that does. */
  #pointed = new Map<string, Map<string, CameFrom>>();

  constructor(env: Env, asked: Asked, home: DatabaseState) {
    this.#env = env;
    this.#asked = asked;
    this.#home = home;
    for (const municipality of home.municipalities.values()) {
      this.#take(municipality, HOME);
    }
  }

  /** Follows the rows until all municipalities are found. */
  async follow(alsoTenantsOf: readonly string[]): Promise<void> {
    let names = new Set([...this.#pointed.keys(), ...alsoTenantsOf]);
    for (let rounds = 0; names.size > 0; rounds += 1) {
      if (rounds > databasesOf(this.#env).length + 1) {
        throw new Error('the rows of municipalities point in a circle');
      }
      const pointed = this.#pointed;
      this.#pointed = new Map();
      await allSideBySide([...names], (name) => this.#read(name, pointed.get(name) ?? new Map()));
      names = new Set(this.#pointed.keys());
    }
  }

  async #read(name: string, cameFrom: ReadonlyMap<string, CameFrom>): Promise<void> {
    const db = getDatabase(this.#env, name);
    const state = await readConfiguration(db, {
      tenants: this.#asked.tenants,
      municipalities: [...cameFrom.keys()],
    });
    if (name !== HOME) {
      this.#tenants.set(name, state.tenants);
    }
    for (const [code, from] of cameFrom) {
      const found = state.municipalities.get(code);
      const place = this.#home.municipalities.get(code);
      if (found === undefined) {
        // An earlier document failed after writing the directory. This one creates the municipality here.
        this.#places.set(code, { code, database: name, tenant: place?.tenant ?? '' });
      } else if (found.movedTo !== null && livesAt(found, from)) {
        await completeArrival(db, code, { from: from.name, stay: found.stay });
        this.#take({ ...found, movedTo: null }, name);
      } else {
        this.#take(found, name);
      }
    }
  }

  #take(
    { movedTo, arriving: _, stay, isStopped, ...municipality }: MunicipalityState & WritablePlace,
    name: string,
  ) {
    const { code, tenant } = municipality;
    if (movedTo !== null) {
      this.#pointed.getOrInsertComputed(movedTo, () => new Map()).set(code, { name, stay });
      return;
    }
    this.#living.set(code, municipality);
    this.#places.set(code, { code, database: name, tenant });
    if (isStopped) {
      this.#stopped.push(code);
    }
  }

  state(): ServiceState {
    const inOrder = [...this.#living.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
    return {
      tenants: this.#home.tenants,
      municipalities: new Map(inOrder.map((municipality) => [municipality.code, municipality])),
      directory: this.#places,
      bound: databasesOf(this.#env).map(({ name }) => name),
      tenantsElsewhere: this.#tenants,
      homeRows: this.#home.municipalities,
      stopped: this.#stopped,
    };
  }
}
