// `npm run test:changed -- COMMIT`: runs what a change since that commit can reach.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { offerHelp } from '../../tools/command-line.ts';
import { reachedBy } from './reached.ts';

offerHelp(
  'npm run test:changed -- COMMIT [OPTION OF VITEST …]: runs what a change since that commit can reach',
);

const VITEST = 'node_modules/vitest/vitest.mjs';
const SUITE = ['--config', 'test/vitest.config.ts', '--project', 'workerd', '--project', 'node'];

const [commit, ...more] = process.argv.slice(2);
if (commit === undefined || commit.startsWith('-')) {
  fail('Say since which commit: npm run test:changed -- COMMIT (such as HEAD~3, or main).');
}
const reached = reachedBy(changedSince(commit));
if (reached.everything !== null) {
  console.log(`Everything is run: ${reached.everything}.`);
  process.exit(run(['run', ...SUITE, ...more]));
}
const byFolder = reached.folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`));
const files = [...new Set([...byFolder, ...byImports(commit)])].filter(
  (path) => !/\.(browser|soak)\.test\.ts$/.test(path),
);
console.log(`${files.length} files are run: by their imports, and all in ${reached.folders.join(', ')}.`);
process.exit(run(['run', ...SUITE, ...more, ...files]));

/** Committed or not, and new files too. */
function changedSince(since: string): readonly string[] {
  const lines = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  try {
    return [
      ...lines('diff', '--name-only', '--no-renames', since, '--'),
      ...lines('ls-files', '--others', '--exclude-standard'),
    ];
  } catch {
    return fail(`git knows no commit ${since}.`);
  }
}

/** The test files that import something that has changed, as vitest finds them. */
function byImports(since: string): readonly string[] {
  const args = ['list', '--filesOnly', '--json', '--changed', since, ...SUITE];
  const { stdout, status, stderr } = spawnSync(process.execPath, [VITEST, ...args], { encoding: 'utf8' });
  if (status !== 0) fail(`vitest cannot list what imports the change:\n${stderr}`);
  const found = JSON.parse(stdout.slice(stdout.indexOf('['))) as readonly { readonly file: string }[];
  return found.map(({ file }) => relative('.', file));
}

function run(args: readonly string[]): number {
  return spawnSync(process.execPath, [VITEST, ...args], { stdio: 'inherit' }).status ?? 1;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
