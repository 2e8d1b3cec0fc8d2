// What one of each line of the attacker's table costs, as docs/security.md has it: npm run measure:kept
import { startVitest } from 'vitest/node';
import { takeNoArguments } from '../../tools/command-line.ts';

takeNoArguments('npm run measure:kept: measures what each line of the attacker’s table keeps and takes');

const COLUMNS = ['input', 'kept of one, KiB', 'rows read; written', 'time, in checks'];
const figure = (number: number): string =>
  number.toLocaleString('en', { maximumSignificantDigits: Math.max(2, String(Math.floor(number)).length) });

const vitest = await startVitest('test', ['test/hostile/kept.test.ts'], {
  config: 'test/vitest.config.ts',
  project: ['workerd'],
  testNamePattern: 'One of a line that is kept costs',
  reporters: [{}],
  watch: false,
});
console.log(`| ${COLUMNS.join(' | ')} |\n|${'---|'.repeat(COLUMNS.length)}`);
for (const file of vitest.state.getTestModules()) {
  for (const test of file.children.allTests()) {
    const { kept } = test.meta();
    if (kept !== undefined) {
      const { input, kib, read, written, checks } = kept;
      console.log(
        `| ${[input, figure(kib), `${figure(read)}; ${figure(written)}`, figure(checks)].join(' | ')} |`,
      );
    }
  }
}
// The figures that the table has may be out of date: that is what this is for.
process.exitCode = 0;
await vitest.close();
