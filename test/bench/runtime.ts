import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare';
import { migrate } from '../../tools/local/migrations.ts';
import { bundled, compatibilityDate, serviceModules } from './bundle.ts';
import { mostMiBDuring } from './inspector.ts';
import { cpuSecondsOf, memoryMiBOf, newRuntimeProcess, quietRuntime } from './runtime-process.ts';

export const ADMIN_TOKEN = 'admin-token-of-the-bench-long-enough';

export type WorkerName = 'service' | 'counted' | 'yardsticks' | Delayed;
/** One of several that are the same, each an isolate of its own. */
type Delayed = `delayed-${number}`;

/** Miniflare's own view of the database. */
type BenchDatabase = Awaited<ReturnType<Miniflare['getD1Database']>>;

/** Workers in one process of the runtime, on storage of their own. */
export interface Launched {
  /** Where a Worker listens: its own socket, with no proxy before it. */
  address(worker: WorkerName): Promise<string>;
  /** CPU seconds that the runtime's process has used since its start. Not a number where there is no `/proc`. */
  cpuSeconds(): number;
  /** Memory that the runtime's process holds now, likewise. */
  memoryMiB(): number;
  /** The most that a Worker's isolate has in use during something. Only where the runtime was asked for an inspector. */
  mostMiBDuring(worker: WorkerName, work: () => Promise<unknown>): Promise<number>;
  readonly miniflare: Miniflare;
  stop(): Promise<void>;
}

/** The service and the yardsticks, side by side over the same database and KV. */
export interface Runtime {
  readonly service: string;
  /** The service once more, which counts what it reads. */
  readonly counted: string;
  readonly yardsticks: string;
  /** The service behind bindings that are far away, as often as it was asked for. */
  readonly delayed: readonly string[];
  readonly db: BenchDatabase;
  readonly kv: Awaited<ReturnType<Miniflare['getKVNamespace']>>;
  /** Fires a cron trigger, and waits for its end. */
  cron(expression: string, worker?: WorkerName): Promise<void>;
  cpuSeconds(): number;
  memoryMiB(): number;
  /** The most that the service's isolate has in use during something. Only where an inspector was asked for. */
  mostMiBDuring(work: () => Promise<unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** How Workers are launched. */
interface Launch {
  /** Where the state is. Without one it is in a temporary folder, which goes when the runtime stops. */
  readonly folder?: string;
  /** Whether {@link Launched.mostMiBDuring} is wanted. */
  readonly inspector?: boolean;
}

interface Wanted extends Launch {
  /** How many Workers with delayed bindings. */
  readonly delayed?: number;
}

/** Starts the runtime with an empty, migrated database of its own. */
export async function startRuntime({ delayed = 0, ...wanted }: Wanted = {}): Promise<Runtime> {
  const delayedNames = Array.from({ length: delayed }, (_, index): Delayed => `delayed-${index}`);
  const names = ['service', 'counted', 'yardsticks', ...delayedNames] as const;
  const launched = await launch(names, wanted);
  const { miniflare, address, cpuSeconds, memoryMiB, stop } = launched;
  const db = await miniflare.getD1Database('DB', 'service');
  await migrate(db);
  return {
    service: await address('service'),
    counted: await address('counted'),
    yardsticks: await address('yardsticks'),
    delayed: await Promise.all(delayedNames.map(address)),
    db,
    kv: await miniflare.getKVNamespace('SNAPSHOTS', 'service'),
    cron: async (expression, name = 'service') => {
      const worker = await miniflare.getWorker(name);
      const { outcome } = await worker.scheduled({ cron: expression });
      if (outcome !== 'ok') {
        throw new Error(`the cron ${expression} ended as ${outcome}`);
      }
    },
    cpuSeconds,
    memoryMiB,
    mostMiBDuring: (work) => launched.mostMiBDuring('service', work),
    stop,
  };
}

/** Starts these Workers and nothing else. One launch at a time: the process that is new then is this one's. */
export async function launch(
  names: readonly WorkerName[],
  { folder, inspector = false }: Launch = {},
): Promise<Launched> {
  const workers = await Promise.all(names.map((name) => workerOf(name)));
  // For this one alone: other tests of the same process read what theirs logs.
  const { MINIFLARE_WORKERD_PATH: usual } = process.env;
  process.env.MINIFLARE_WORKERD_PATH = quietRuntime();
  const log = new Log(LogLevel.ERROR);
  const state = folder !== undefined && { resourcePersistencePath: folder };
  const inspected = inspector && { inspectorPort: 0 };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ log, workers, ...state, ...inspected }));
  await miniflare.ready;
  if (usual === undefined) delete process.env.MINIFLARE_WORKERD_PATH;
  else process.env.MINIFLARE_WORKERD_PATH = usual;
  const pid = newRuntimeProcess();
  return {
    address: async (worker) => (await miniflare.unsafeGetDirectURL(worker)).origin,
    cpuSeconds: () => cpuSecondsOf(pid),
    memoryMiB: () => memoryMiBOf(pid),
    mostMiBDuring: async (worker, work) => mostMiBDuring(await miniflare.getInspectorURL(), worker, work),
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
  switch (name) {
    case 'service':
      return {
        ...shared,
        modules: serviceModules(),
        durableObjects: { CREDENTIALS: { className: 'CredentialObject', useSQLite: true } },
      };
    case 'yardsticks':
      return {
        ...shared,
        script: await bundled('test/bench/yardsticks.ts'),
        durableObjects: { COUNTERS: { className: 'Counter', useSQLite: true } },
      };
    default:
      return {
        ...shared,
        script: await bundled(name === 'counted' ? 'test/bench/counted.ts' : 'test/bench/delayed.ts'),
        // Those of the Worker `service`.
        durableObjects: {
          CREDENTIALS: { className: 'CredentialObject', scriptName: 'service', useSQLite: true },
        },
      };
  }
}
