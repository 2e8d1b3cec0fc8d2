import { createHash } from 'node:crypto';
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response as MiniflareResponse,
  type V4WorkerOptions,
} from 'miniflare';
import { type Account, reachable, type Script, type Version } from './account.ts';

type LocalDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;
type LocalNamespace = Awaited<ReturnType<Miniflare['getKVNamespace']>>;

/** Binds every database and namespace, for the API. */
const DESK = 'desk';

/** The versions that calls can reach, in workerd, over D1 and KV of this machine. */
export class Runtime {
  readonly #account: Account;
  readonly #folder: string;
  #miniflare: Miniflare | null = null;
  /** Ids of databases that are away. */
  readonly #away = new Set<string>();
  /** Calls under way, and the waiters for their end. */
  #calls = 0;
  #changing: Promise<void> = Promise.resolve();
  #quiet = () => {};

  constructor(account: Account, folder: string) {
    this.#account = account;
    this.#folder = folder;
  }

  /** Calls wait while versions change, and a change waits for the calls: neither is cut off, as on the platform. */
  async call<T>(work: (miniflare: Miniflare) => Promise<T>): Promise<T> {
    await this.#changing;
    this.#calls += 1;
    try {
      return await work(this.#running());
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.#quiet();
    }
  }

  /** Runs what the account has deployed now. */
  change(): Promise<void> {
    const before = this.#changing;
    const changed = before.then(() => this.#apply());
    this.#changing = changed.catch(() => {});
    return changed;
  }

  /** Makes a database unreachable, or reachable again. */
  async setAway(databaseId: string, isAway: boolean): Promise<void> {
    if (isAway) this.#away.add(databaseId);
    else this.#away.delete(databaseId);
    await this.change();
  }

  database = (id: string): Promise<LocalDatabase> =>
    this.call((miniflare) => miniflare.getD1Database(`d1_${id}`, DESK));

  namespace = (id: string): Promise<LocalNamespace> =>
    this.call((miniflare) => miniflare.getKVNamespace(`kv_${id}`, DESK));

  async stop(): Promise<void> {
    await this.#changing;
    await this.#miniflare?.dispose();
  }

  #running(): Miniflare {
    if (this.#miniflare === null) throw new Error('nothing was deployed yet');
    return this.#miniflare;
  }

  async #apply(): Promise<void> {
    if (this.#calls > 0) {
      const quiet = Promise.withResolvers<void>();
      this.#quiet = quiet.resolve;
      await quiet.promise;
    }
    const scripts = [...this.#account.scripts.values()];
    const workers = [this.#desk(), ...scripts.flatMap((script) => this.#workersOf(script))];
    const options = convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      // The service's own lines: a scene shows its verdict alone.
      handleStructuredLogs: () => {},
      resourcePersistencePath: this.#folder,
      workers,
    });
    if (this.#miniflare === null) this.#miniflare = new Miniflare(options);
    else await this.#miniflare.setOptions(options);
    await this.#miniflare.ready;
  }

  #desk(): V4WorkerOptions {
    const named = (prefix: string, ids: Iterable<string>) =>
      Object.fromEntries([...ids].map((id) => [`${prefix}_${id}`, id]));
    return {
      name: DESK,
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      d1Databases: named('d1', this.#account.databases.keys()),
      kvNamespaces: named('kv', this.#account.namespaces.keys()),
    };
  }

  #workersOf(script: Script): V4WorkerOptions[] {
    const serving = script.deployments[0]?.versions.toSorted((a, b) => b.percentage - a.percentage)[0];
    return reachable(script).map((version) =>
      this.#workerOf(script, version, serving?.version_id ?? version.id),
    );
  }

  /** @param serving the version whose code the objects run: the one with the most calls */
  #workerOf(script: Script, version: Version, serving: string): V4WorkerOptions {
    const of = (type: string) => version.bindings.filter((binding) => binding.type === type);
    const texts = (type: string, key: string) =>
      Object.fromEntries(of(type).map((binding) => [binding.name, String(binding[key])]));
    return {
      name: workerName(version.id),
      modules: version.modules.map(({ path, text }) => ({ type: 'ESModule', path, contents: text })),
      compatibilityDate: version.compatibilityDate,
      unsafeDirectSockets: [{ port: 0 }],
      bindings: {
        ...texts('plain_text', 'text'),
        ...version.secrets,
        ...Object.fromEntries(
          of('version_metadata').map(({ name }) => [
            name,
            { id: version.id, tag: version.annotations['workers/tag'] ?? '', timestamp: version.createdOn },
          ]),
        ),
      },
      d1Databases: Object.fromEntries(
        of('d1').map((binding) => [binding.name, this.#placeOf(String(binding.id ?? binding.database_id))]),
      ),
      kvNamespaces: texts('kv_namespace', 'namespace_id'),
      durableObjects: Object.fromEntries(
        of('durable_object_namespace').map((binding) => [
          binding.name,
          {
            className: String(binding.class_name),
            useSQLite: true,
            unsafeUniqueKey: `${script.name}-${binding.class_name}`,
            ...(serving !== version.id && { scriptName: workerName(serving) }),
          },
        ]),
      ),
      serviceBindings: Object.fromEntries(
        of('assets').map(({ name }) => [name, (request: { url: string }) => assetOf(version, request.url)]),
      ),
    };
  }

  /** An empty database replaces one that is away, so that each statement fails. */
  readonly #placeOf = (id: string): string => (this.#away.has(id) ? `away-${id}` : id);
}

export const workerName = (versionId: string): string => `version-${versionId}`;

function assetOf({ assets }: Version, url: string): MiniflareResponse {
  const text = assets.get(new URL(url).pathname);
  if (text === undefined) return new MiniflareResponse(null, { status: 404 });
  const etag = `"${createHash('md5').update(text).digest('hex')}"`;
  return new MiniflareResponse(Buffer.from(text, 'base64'), { headers: { ETag: etag } });
}
