import { configuredDatabases } from './configured.ts';
import { applyRemoteMigrations, deployWorker } from './wrangler.ts';

// Every database is brought up to date, one after the other, before the Worker that needs it.
try {
  for (const name of await configuredDatabases()) {
    await applyRemoteMigrations(name);
  }
  await deployWorker();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
