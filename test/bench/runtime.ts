import { globSync, readFileSync } from 'node:fs';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare';
import { bundled, compatibilityDate, root, serviceBundle } from './bundle.ts';
import { cpuSecondsOf, memoryMiBOf, newRuntimeProcess, quietRuntime } from './runtime-process.ts';

export const ADMIN_TOKEN = 'admin-token-of-the-bench-long-enough';

export type WorkerName = 'service' | 'undigested' | 'counted' | 'unjournaled' | 'yardsticks' | Delayed;
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
  readonly miniflare: Miniflare;
  stop(): Promise<void>;
}

/** The service and the yardsticks, side by side over the same database and KV. */
export interface Runtime {
  readonly service: string;
  /** The service once more, without a key for digests: its calls are logged without. */
  readonly undigested: string;
  /** The service once more, which counts what it reads. */
  readonly counted: string;
  /** The service once more, which keeps no journal of what it imports. */
  readonly unjournaled: string;
  readonly yardsticks: string;
  /** The service behind bindings that are far away, as often as it was asked for. */
  readonly delayed: readonly string[];
  readonly db: BenchDatabase;
  readonly kv: Awaited<ReturnType<Miniflare['getKVNamespace']>>;
  /** Fires a cron trigger, and waits for its end. */
  cron(expression: string, worker?: WorkerName): Promise<void>;
  cpuSeconds(): number;
  memoryMiB(): number;
  stop(): Promise<void>;
}

interface Wanted {
  /** Where its state is kept, for a later launch. */
  readonly folder?: string;
  /** How many Workers with delayed bindings. */
  readonly delayed?: number;
}

/** Starts the runtime with an empty, migrated database of its own. */
export async function startRuntime({ folder, delayed = 0 }: Wanted = {}): Promise<Runtime> {
  const delayedNames = Array.from({ length: delayed }, (_, index): Delayed => `delayed-${index}`);
  const names = ['service', 'undigested', 'counted', 'unjournaled', 'yardsticks', ...delayedNames] as const;
  const launched = await launch(names, folder);
  const { miniflare, address, cpuSeconds, memoryMiB, stop } = launched;
  const db = await miniflare.getD1Database('DB', 'service');
  await migrate(db);
  return {
    service: await address('service'),
    undigested: await address('undigested'),
    counted: await address('counted'),
    unjournaled: await address('unjournaled'),
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
    stop,
  };
}

/**
 * Starts these Workers and nothing else. One launch at a time: the process that is new then is this one's.
 *
 * @param folder where the state is; without one it is in a temporary folder, which goes when the runtime stops
 */
export async function launch(names: readonly WorkerName[], folder?: string): Promise<Launched> {
  const workers = await Promise.all(names.map(workerOf));
  process.env.MINIFLARE_WORKERD_PATH = quietRuntime();
  const log = new Log(LogLevel.ERROR);
  const state = folder !== undefined && { resourcePersistencePath: folder };
  const miniflare = new Miniflare(convertV4MiniflareOptions({ log, workers, ...state }));
  await miniflare.ready;
  const pid = newRuntimeProcess();
  return {
    address: async (worker) => (await miniflare.unsafeGetDirectURL(worker)).origin,
    cpuSeconds: () => cpuSecondsOf(pid),
    memoryMiB: () => memoryMiBOf(pid),
    miniflare,
    stop: () => miniflare.dispose(),
  };
}

/** The credentials' objects of the Worker `service`. */
const OF_THE_SERVICE = {
  CREDENTIALS: { className: 'CredentialObject', scriptName: 'service', useSQLite: true },
} as const;

async function workerOf(name: WorkerName): Promise<V4WorkerOptions> {
  const shared = {
    name,
    modules: true,
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
        script: await serviceBundle(),
        durableObjects: { CREDENTIALS: { className: 'CredentialObject', useSQLite: true } },
      };
    case 'undigested': {
      const { DIGEST_KEY: _, ...bindings } = shared.bindings;
      return { ...shared, bindings, script: await serviceBundle(), durableObjects: OF_THE_SERVICE };
    }
    case 'yardsticks':
      return {
        ...shared,
        script: await bundled('test/bench/yardsticks.ts'),
        durableObjects: { COUNTERS: { className: 'Counter', useSQLite: true } },
      };
    default:
      return {
        ...shared,
        script: await bundled(
          name === 'counted' || name === 'unjournaled' ? `test/bench/${name}.ts` : 'test/bench/delayed.ts',
        ),
        durableObjects: OF_THE_SERVICE,
      };
  }
}

async function migrate(db: BenchDatabase): Promise<void> {
  for (const file of globSync(`${root}migrations/*.sql`).sort()) {
    const statements = readFileSync(file, 'utf8').split('--> statement-breakpoint');
    await db.batch(statements.map((sql) => db.prepare(sql)));
  }
}
