import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare';
import { migrate } from '../../tools/local/migrations.ts';
import { bundled, compatibilityDate, serviceModules } from './bundle.ts';
import { cpuSecondsOf, newRuntimeProcess, quietRuntime } from './runtime-process.ts';

export const ADMIN_TOKEN = 'admin-token-of-the-bench-long-enough';

export type WorkerName = 'service' | 'yardsticks';

/** Workers in one process of the runtime, on storage of their own. */
interface Launched {
  /** Where a Worker listens: its own socket, with no proxy before it. */
  address(worker: WorkerName): Promise<string>;
  /** CPU seconds that the runtime's process has used since its start. Not a number where there is no `/proc`. */
  cpuSeconds(): number;
  readonly miniflare: Miniflare;
  stop(): Promise<void>;
}

/** The service and the yardsticks, side by side over the same database and KV. */
export interface Runtime extends Pick<Launched, 'cpuSeconds' | 'stop'> {
  readonly service: string;
  readonly yardsticks: string;
  readonly db: Awaited<ReturnType<Miniflare['getD1Database']>>;
  readonly kv: Awaited<ReturnType<Miniflare['getKVNamespace']>>;
  /** Fires a cron trigger, and waits for its end. */
  cron(expression: string): Promise<void>;
}

/** Where the state is. Without a folder it is in a temporary one, which goes when the runtime stops. */
interface Launch {
  readonly folder?: string;
}

/** Starts the runtime with an empty, migrated database of its own. */
export async function startRuntime(wanted: Launch = {}): Promise<Runtime> {
  const { miniflare, address, cpuSeconds, stop } = await launch(['service', 'yardsticks'], wanted);
  const db = await miniflare.getD1Database('DB', 'service');
  await migrate(db);
  return {
    service: await address('service'),
    yardsticks: await address('yardsticks'),
    db,
    kv: await miniflare.getKVNamespace('SNAPSHOTS', 'service'),
    cron: async (expression) => {
      const worker = await miniflare.getWorker('service');
      const { outcome } = await worker.scheduled({ cron: expression });
      if (outcome !== 'ok') {
        throw new Error(`the cron ${expression} ended as ${outcome}`);
      }
    },
    cpuSeconds,
    stop,
  };
}

/** Starts these Workers and nothing else. One launch at a time: the process that is new then is this one's. */
export async function launch(names: readonly WorkerName[], { folder }: Launch = {}): Promise<Launched> {
  const workers = await Promise.all(names.map((name) => workerOf(name)));
  // For this one alone: other tests of the same process read what theirs logs.
  const { MINIFLARE_WORKERD_PATH: usual } = process.env;
  process.env.MINIFLARE_WORKERD_PATH = quietRuntime();
  const log = new Log(LogLevel.ERROR);
  const state = folder !== undefined && { resourcePersistencePath: folder };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ log, workers, ...state }));
  await miniflare.ready;
  if (usual === undefined) delete process.env.MINIFLARE_WORKERD_PATH;
  else process.env.MINIFLARE_WORKERD_PATH = usual;
  const pid = newRuntimeProcess();
  return {
    address: async (worker) => (await miniflare.unsafeGetDirectURL(worker)).origin,
    cpuSeconds: () => cpuSecondsOf(pid),
    miniflare,
    stop: () => miniflare.dispose(),
  };
}

async function workerOf(name: WorkerName): Promise<V4WorkerOptions> {
  const shared = {
    name,
    modules: true as const,
    compatibilityDate,
    d1Databases: { DB: 'bench' },
    kvNamespaces: { SNAPSHOTS: 'bench' },
    unsafeDirectSockets: [{ port: 0 }],
    bindings: {
      ADMIN_TOKEN,
      TOKEN_KEY: 'token-key-of-the-bench-long-enough',
      DIGEST_KEY: 'digest-key-of-the-bench-long-enough',
    },
  };
  return name === 'service'
    ? {
        ...shared,
        modules: serviceModules(),
        durableObjects: { CREDENTIALS: { className: 'CredentialObject', useSQLite: true } },
      }
    : {
        ...shared,
        script: await bundled('test/bench/yardsticks.ts'),
        durableObjects: { COUNTERS: { className: 'Counter', useSQLite: true } },
      };
}
