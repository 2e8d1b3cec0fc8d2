import { type Instant, instant } from '../../src/domain/instant.ts';
import { bundleParking } from '../clients/parking.ts';
import { addressLines, commandLines, demonstrationLines } from './banner.ts';
import { configuredCrons, fireCrons } from './crons.ts';
import { configFor, databaseNames } from './databases.ts';
import { keepFresh } from './demo/keep-fresh.ts';
import { Demonstration } from './demo/load.ts';
import { keepDemoProfile } from './demo/profile.ts';
import { type Options, readOptions } from './options.ts';
import { readSecrets } from './secrets.ts';
import { claimStateFolder, databasesOf } from './state-folder.ts';
import { assertPortIsFree, WorkerProcess } from './worker-process.ts';
import { applyMigrations, DEV_VARS } from './wrangler.ts';

/** How often we look whether npm is still there. */
const PARENT_CHECK_MS = 250;

const clock = (): Instant => instant(Date.now());

endWithNpm();
try {
  await start(readOptions(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function start(options: Options): Promise<void> {
  await assertPortIsFree(options.port);
  claimStateFolder(options.stateDir, options.port);
  const count = databasesOf(options.stateDir, options.databases);
  const secrets = readSecrets(process.env, DEV_VARS);

  const databases = databaseNames(count);
  const config = configFor(count, options.stateDir);
  if (options.databases === null && count > 1) {
    print(`Binding ${count} databases, as ${options.stateDir} has so many.`);
  }
  print('Bringing the local database up to date …');
  for (const name of databases) {
    await applyMigrations(options.stateDir, name, config);
  }

  print('Starting the service …');
  const worker = WorkerProcess.spawn(options, config, secrets);
  stopWithUs(worker);
  await worker.ready();

  const banner = addressLines(worker.address);
  if (!options.empty) {
    print('Loading the demonstration …');
    const { ADMIN_TOKEN } = secrets;
    const place = { stateDir: options.stateDir, databases };
    const demonstration = await Demonstration.load(worker.address, ADMIN_TOKEN, place, clock());
    banner.push(...demonstrationLines(worker.address, demonstration, options));
    const { office } = demonstration.tokens;
    bundleParking();
    banner.push(
      ...commandLines(keepDemoProfile(process.env, worker.address, { office, admin: ADMIN_TOKEN })),
    );
    keepFresh(demonstration, clock);
  }
  fireCrons(worker.address, await configuredCrons());

  print(banner.join('\n'));
  worker.showLog();
}

/** Ctrl-C and the like end the service first, then us. The service's own end is ours too. */
function stopWithUs(worker: WorkerProcess): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, async () => {
      stopping = true;
      await worker.stop();
      process.exit(0);
    });
  }
  void worker.ended.then(() => {
    if (stopping) return;
    console.error(['The service has ended by itself.', ...worker.unread].join('\n'));
    process.exit(1);
  });
}

/**
 * Ends us when npm is told to end: it passes the signal on to the shell between us, which dies of it and tells nobody.
 * Only under npm: whoever runs this file directly signals it directly.
 */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
