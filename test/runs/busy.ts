// Runs `npm test` next to busy loops: what passes on a quiet machine alone is not right yet.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { offerHelp } from '../../tools/command-line.ts';

offerHelp('npm run test:busy -- [OPTION OF VITEST …]: runs npm test next to four busy loops');

const LOOPS = 4;
/** Looks now and then whether this process is still there: a loop that outlives it would never be found. */
const LOOP = `const parent = process.ppid;
for (;;) {
  for (const until = Date.now() + 200; Date.now() < until; );
  if (process.ppid !== parent) process.exit();
}`;

const children: ChildProcess[] = [];
process.once('exit', () => {
  for (const child of children) child.kill();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

for (let loop = 0; loop < LOOPS; loop++) {
  children.push(spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }));
}
const tests = spawn('npm', ['test', '--', ...process.argv.slice(2)], { stdio: 'inherit' });
children.push(tests);
const [code] = await once(tests, 'exit');
process.exit(typeof code === 'number' ? code : 1);
