// The service on this machine, with a demonstration: `npm start`.
import { chmodSync, mkdirSync } from 'node:fs';
import { withSteeringEscaped } from '../../src/base/text/text.ts';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { collectAssets } from '../build/assets.ts';
import { bundleParking } from '../clients/parking.ts';
import { makeClientTypes } from '../clients/types.ts';
import { print, printError, printFailure } from '../print.ts';
import { addressLines, demonstrationLines } from './banner.ts';
import { type Demonstration, loadDemonstration } from './demo/load.ts';
import { type Options, readOptions } from './options.ts';
import { readSecrets } from './secrets.ts';
import { startService } from './service.ts';

/** How often we check that npm still runs. */
const PARENT_CHECK_MS = 250;
/** Well below the demonstrated tolerances, and the age at which a source becomes stale. */
const REFRESH_EVERY_MS = 5 * MINUTE_MS;
/** The folder holds plates and tokens. */
const OWNERS_FOLDER = 0o700;

// Before the runtime is there: it ends with the process, by a handler of its own that exits with an error.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(0));
endWithNpm();
try {
  await start(readOptions(process.argv.slice(2)));
} catch (error) {
  printFailure(error);
  process.exit(1);
}

async function start(options: Options): Promise<void> {
  const { stateDir, empty, json } = options;
  mkdirSync(stateDir, { recursive: true });
  chmodSync(stateDir, OWNERS_FOLDER);
  const secrets = readSecrets(process.env, new URL('../../.dev.vars', import.meta.url).pathname);
  if (!json) print('Starting the service …');
  collectAssets();
  let isLogShown = false;
  const service = await startService(options, secrets, (line) => {
    if (isLogShown) print(line);
  });
  const { address } = service;
  let demonstration: Demonstration | undefined;
  if (!empty) {
    if (!json) print('Loading the demonstration …');
    demonstration = await loadDemonstration(address, secrets.ADMIN_TOKEN, stateDir, Date.now());
    makeClientTypes();
    bundleParking();
    keepFresh(demonstration);
  }
  await service.fireCrons();
  const banner = [addressLines(address)];
  if (demonstration) banner.push(demonstrationLines(address, demonstration, stateDir));

  const tokens = demonstration?.tokens ?? {};
  print(json ? withSteeringEscaped(JSON.stringify({ address, state: stateDir, tokens })) : banner.join('\n'));
  isLogShown = !json;
}

/** Refreshes the demonstration while the process runs. A failed refresh is logged, and the next one still comes. */
function keepFresh({ refresh }: Demonstration): void {
  setInterval(() => {
    refresh(Date.now()).catch(({ message }) =>
      printError(JSON.stringify({ event: 'demonstration_refresh_failed', message })),
    );
  }, REFRESH_EVERY_MS);
}

/** Ends us when npm ends: killed alone, it passes no signal on. Run directly, this process gets the signal itself. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0);
  }, PARENT_CHECK_MS).unref();
}
