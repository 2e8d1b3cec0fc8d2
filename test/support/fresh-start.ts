// The files of a run share runtimes, since one takes longer to start than most files take to run, but nothing that one
// could notice of another: each begins with empty storage and none of the modules that remember something, and ends when
// what it has begun has ended.
import { reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, vi } from 'vitest';
import { migrate } from './migrated.ts';
import { answerForKnownModules, resetModules } from './own-modules.ts';

vi.useRealTimers();
// Several lines a call, which the run would send to another process and drop there.
for (const level of ['log', 'info', 'warn', 'error'] as const) console[level] = () => {};
answerForKnownModules();
resetModules();
await emptyStorage();
await migrate(env.DB);

// The test file's own instance of this module, hence imported only now.
const { allEnded } = await import('./afterwards.ts');
afterAll(async () => {
  vi.useRealTimers();
  await allEnded();
});

/** A reset reaches only what is awake. Objects asleep may stay: a credential's id never comes again. */
async function emptyStorage(): Promise<void> {
  await whatIsStored();
  await reset();
  const left = await whatIsStored();
  if (left.length > 0) {
    throw new Error(`the storage of the file before is still there: ${left.join(', ')}`);
  }
}

/** Tables of both databases, and keys of KV. */
async function whatIsStored(): Promise<string[]> {
  const tables = `select name from sqlite_master where type = 'table' and name not glob '_cf_*'`;
  const databases = [env.DB, env.OTHER_CELL];
  const [names, { keys }] = await Promise.all([
    Promise.all(databases.map((database) => database.prepare(tables).raw<[string]>())),
    env.SNAPSHOTS.list(),
  ]);
  return [...names.flat(2), ...keys.map(({ name }) => name)];
}
