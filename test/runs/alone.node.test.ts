import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandAlone, type RunForm } from './alone.ts';

const FORM: RunForm = { config: 'test/vitest.config.ts', seed: 7, thorough: false, env: {} };
const FILE = { project: 'workerd', file: 'test/races/budget.test.ts' };
const RUN = 'npx vitest run --config test/vitest.config.ts --project workerd test/races/budget.test.ts';

describe('The command that runs a test alone', () => {
  it.each<[string, Partial<RunForm>, string]>([
    ['says nothing of a seed that is the same in every run', {}, RUN],
    ['repeats a seed that was asked for', { env: { TEST_SEED: '7' } }, `TEST_SEED=7 ${RUN}`],
    ['repeats the seed of a thorough run', { thorough: true }, `THOROUGH=1 TEST_SEED=7 ${RUN}`],
    ['repeats how long a soak takes', { env: { SOAK_MINUTES: '0.5' } }, `SOAK_MINUTES=0.5 ${RUN}`],
  ])('%s', (_, form, command) => {
    expect(commandAlone(FILE, { ...FORM, ...form })).toBe(command);
  });

  it.each([
    'A budget > is spent once',
    'takes “a$b” (c*d) [e] {f}? | g.h+i^j\\k',
    'the shell\'s own $HOME `ls` !! "x"',
    'a line\nand a\ttab',
  ])('matches by the shell and by name this test alone: %j', (name) => {
    const command = commandAlone({ ...FILE, name }, FORM);
    const words = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' }).split('\0');
    const pattern = new RegExp(words[words.indexOf('-t') + 1] ?? '');
    expect(pattern.test(name)).toBe(true);
    expect(pattern.test(`${name} too`)).toBe(false);
  });
});
