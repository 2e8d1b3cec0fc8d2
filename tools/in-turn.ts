// Runs scripts of package.json one after the other, until one fails: node tools/in-turn.ts SCRIPT …
import { spawnSync } from 'node:child_process';
import { offerHelp } from './command-line.ts';
import { printError } from './print.ts';

const scripts = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const own = process.env.npm_lifecycle_event ?? 'NAME';
const usage = `npm run ${own}: runs ${scripts.join(', ')}, until one fails`;
offerHelp(usage);
if (scripts.length < process.argv.length - 2) {
  printError(usage);
  process.exit(2);
}
for (const script of scripts) {
  const { status } = spawnSync('npm', ['run', script], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
