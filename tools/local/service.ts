import { join } from 'node:path';
import { Cron } from 'croner';
import { buildSync } from 'esbuild';
import { convertV4MiniflareOptions, Miniflare, NoOpLog } from 'miniflare';
import { printError } from '../print.ts';
import { migrate } from './migrations.ts';
import type { Options } from './options.ts';
import type { Secrets } from './secrets.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** The cron that renews the snapshots, which the pages are made from. */
const EVERY_MINUTE = '* * * * *';

/** The service, running on this machine. It ends with the process. */
interface LocalService {
  readonly address: string;
  /** Fires the crons on their schedule, as the platform does; first the one that renews what the pages show. */
  readonly fireCrons: () => Promise<void>;
}

/**
 * Starts the service from its sources, with the bindings of wrangler.toml and the variables of .dev.vars.
 *
 * @param log takes each line of the service's log
 * @throws Error with a remedy, when the port is taken or the folder has the schema of another checkout
 */
export async function startService(
  { port, stateDir }: Options,
  secrets: Secrets,
  log: (line: string) => void,
): Promise<LocalService> {
  // Before the import: else Wrangler writes a log into the user's home, and says which files it reads.
  Object.assign(process.env, { WRANGLER_WRITE_LOGS: 'false', WRANGLER_LOG: 'error' });
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = await import('wrangler');
  const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') });
  const {
    bindings,
    modulesRules: _,
    ...configured
  } = unstable_getMiniflareWorkerOptions(config).workerOptions;
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...configured,
      modules: true,
      script: bundled(),
      bindings: Object.assign({}, bindings, secrets),
      host: 'localhost',
      port,
      cf: false,
      log: new NoOpLog(),
      resourcePersistencePath: join(stateDir, 'v3'),
      handleStructuredLogs: ({ message }) => log(message),
    }),
  );
  await miniflare.ready.catch((error) => {
    if (error.code !== 'ERR_ADDRESS_IN_USE') throw error;
    throw new Error(`Port ${port} is taken. Choose another: npm start -- --port ${port + 1}`);
  });
  await migrate(await miniflare.getD1Database('DB')).catch((error) => {
    const remedy = `Delete ${stateDir}, with all its data.`;
    throw new Error(`The local database could not be brought up to date. ${remedy}\n${error.message}`);
  });

  const worker = await miniflare.getWorker();
  const fire = async (cron: string): Promise<void> => {
    const { outcome } = await worker.scheduled({ cron });
    if (outcome !== 'ok') printError(JSON.stringify({ event: 'cron_failed', cron, outcome }));
  };
  return {
    address: `http://localhost:${port}`,
    fireCrons: async () => {
      await fire(EVERY_MINUTE);
      // The platform's schedules are in UTC, and count the days of the week from 1, Sunday.
      const options = { timezone: 'UTC', alternativeWeekdays: true, protect: true };
      for (const pattern of config.triggers.crons ?? []) new Cron(pattern, options, () => fire(pattern));
    },
  };
}

/** The Worker as one module, as `npm run build` makes its modules. */
function bundled(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(ROOT, 'src/worker.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2024',
    sourcemap: 'inline',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    define: { 'globalThis.Temporal': 'undefined' },
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}
