import { chmodSync, mkdirSync } from 'node:fs';
import { withSteeringEscaped } from '../../src/base/text/text.ts';
import { type Instant, instant } from '../../src/domain/instant.ts';
import { collectAssets } from '../build/assets.ts';
import { bundleParking } from '../clients/parking.ts';
import { makeClientTypes } from '../clients/types.ts';
import { print, printError, printFailure } from '../print.ts';
import { addressLines, commandLines, demonstrationLines } from './banner.ts';
import { configured } from './configured.ts';
import { configuredCrons, fireCrons, renewSnapshots } from './crons.ts';
import type { Tokens } from './demo/credentials.ts';
import { keepFresh } from './demo/keep-fresh.ts';
import { Demonstration } from './demo/load.ts';
import { keepDemoProfile } from './demo/profile.ts';
import { applyMigrations } from './migrations.ts';
import { type Options, readOptions } from './options.ts';
import { readSecrets } from './secrets.ts';
import { assertPortIsFree, WorkerProcess } from './worker-process.ts';
import { DEV_VARS } from './wrangler.ts';

/** How often we check that npm still runs. */
const PARENT_CHECK_MS = 250;

/** It holds plates and tokens. */
const OWNERS_FOLDER = 0o700;

const clock = (): Instant => instant(Date.now());

endWithNpm();
try {
  await start(readOptions(process.argv.slice(2)));
} catch (error) {
  printFailure(error);
  process.exit(1);
}

async function start(options: Options): Promise<void> {
  await assertPortIsFree(options.port);
  mkdirSync(options.stateDir, { recursive: true });
  chmodSync(options.stateDir, OWNERS_FOLDER);
  const secrets = readSecrets(process.env, DEV_VARS);

  const say = options.print === 'all' ? print : () => {};
  say('Bringing the local database up to date …');
  const [database] = (await configured()).d1_databases;
  await applyMigrations(options.stateDir, database?.database_id ?? 'DB');

  say('Starting the service …');
  collectAssets();
  const worker = WorkerProcess.spawn(options, secrets);
  stopWithUs(worker);
  await worker.ready(secrets);

  const banner = addressLines(worker.address);
  let tokens: Partial<Tokens> = {};
  if (!options.empty) {
    say('Loading the demonstration …');
    const { ADMIN_TOKEN } = secrets;
    const demonstration = await Demonstration.load(worker.address, ADMIN_TOKEN, options.stateDir, clock());
    ({ tokens } = demonstration);
    await renewSnapshots(worker.address);
    banner.push(...demonstrationLines(worker.address, demonstration, options));
    const { office } = demonstration.tokens;
    makeClientTypes();
    bundleParking();
    banner.push(...commandLines(keepDemoProfile(options.stateDir, worker.address, office)));
    keepFresh(demonstration, clock);
  }
  fireCrons(worker.address, await configuredCrons());

  switch (options.print) {
    case 'all':
      print(banner.join('\n'));
      break;
    case 'address':
      print(worker.address);
      break;
    case 'json':
      print(
        withSteeringEscaped(JSON.stringify({ address: worker.address, state: options.stateDir, tokens })),
      );
      break;
    default:
      options.print satisfies never;
  }
  worker.showLog(options.print === 'all');
}

/** Ctrl-C and the like end the service first, then us. When the service ends, so do we. */
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
    printError(['The service has ended by itself.', ...worker.unread].join('\n'));
    process.exit(1);
  });
}

/** Ends us when npm ends: killed alone, it passes no signal on. Run directly, this process gets the signal itself. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}
