// Plants faults in a copy of the checkout, one after the other, and says which of them no test notices.
import { readCommandLine } from '../../tools/command-line.ts';
import type { Fault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { Copy } from './plant.ts';

const USAGE = `npm run planted-faults -- [--only LIST] [--thorough]
  --only LIST  faults by their numbers, such as 3,10-19 (all)
  --thorough   with the tests in their long form`;

const { values } = readCommandLine(USAGE, {
  options: { only: { type: 'string' }, thorough: { type: 'boolean' } },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (values.thorough) process.env.THOROUGH = '1';

const copy = new Copy();
const chosen = chosenOf(values.only);
const notices = new Set<string>();
let unnoticed = 0;
for (const number of chosen) {
  const startedAt = performance.now();
  const said = await tryOut(FAULTS[number - 1] as Fault);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
  console.log(`${String(number).padStart(2)} ${seconds} s  ${said}`);
}
console.log(await verdict());

/** @returns one line: what the fault breaks, and which test has noticed it */
async function tryOut(fault: Fault): Promise<string> {
  try {
    const { failed, broken } = await copy.planted(fault, () => copy.test(fault.reach, { stopAtFirst: true }));
    const [first] = failed;
    if (first !== undefined) {
      notices.add(first.slice(0, first.indexOf(' > ')));
      return `noticed: ${fault.breaks} (${first})`;
    }
    unnoticed += 1;
    return broken === null
      ? `NOT NOTICED: ${fault.breaks} (${fault.file}; tried ${fault.reach.join(', ')})`
      : `COULD NOT BE TRIED: ${fault.breaks}: ${broken}`;
  } catch (error) {
    unnoticed += 1;
    return `COULD NOT BE PLANTED: ${fault.breaks}: ${error instanceof Error ? error.message : error}`;
  }
}

/** The last line. A test that fails without a fault has noticed none, so those that have are run without one. */
async function verdict(): Promise<string> {
  const files = [...notices].filter((path) => path.startsWith('test/'));
  const sound = files.length === 0 ? null : await copy.test(files, { stopAtFirst: false });
  const bad = sound === null ? [] : [...sound.failed, ...(sound.broken === null ? [] : [sound.broken])];
  process.exitCode = unnoticed + bad.length === 0 ? 0 : 1;
  for (const title of bad) console.log(`FAILS WITHOUT A FAULT TOO: ${title}`);
  return `${chosen.length - unnoticed} of ${chosen.length} planted faults are noticed${
    bad.length === 0 ? '' : `, but ${bad.length} tests fail without one`
  }.`;
}

/** @param only numbers and ranges, such as `3,10-19`; all where there is none */
function chosenOf(only: string | undefined): readonly number[] {
  const all = FAULTS.map((_, index) => index + 1);
  if (only === undefined) return all;
  const ranges = only.split(',').map((part) => {
    const [from = Number.NaN, to = from] = part.split('-').map(Number);
    if (!all.includes(from) || !all.includes(to)) {
      throw new Error(`--only ${only}: there are faults 1 to ${all.length}`);
    }
    return { from, to };
  });
  return all.filter((number) => ranges.some(({ from, to }) => from <= number && number <= to));
}
