import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { someOf } from '../support/run-form.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
/** A script that runs a file of this project, and the words after it. */
const OWN = /^node ((?:tools|test)\/[\w/-]+\.ts)((?: [\w:]+)*)$/;
const own = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file, words = ''] = OWN.exec(command) ?? [];
  return file === undefined ? [] : [{ name, file, words: words.split(' ').filter(Boolean) }];
});

/** What a script prints, in a folder where it finds nothing, and would leave what it makes. */
const folder = mkdtempSync(join(tmpdir(), 'help-'));
afterAll(() => rmSync(folder, { recursive: true }));
const printedBy = ({ name, file, words }: (typeof own)[number], option: string) =>
  promisify(execFile)(process.execPath, [resolve(file), ...words, option], {
    cwd: folder,
    env: { ...process.env, npm_lifecycle_event: name },
  });

describe('Of the scripts of package.json,', () => {
  it('each that runs a file of this project runs nothing else, so that its arguments reach it', () => {
    const others = Object.entries(scripts).filter(([name]) => own.every((script) => script.name !== name));
    expect(
      others.filter(([, command]) => /node (?:tools|test)\/(?!\S*node_modules)|npm run/.test(command)),
    ).toEqual([]);
    expect(own.length).toBeGreaterThan(20);
  });

  it.each(own)('$name prints help when it is asked for it, and does nothing else', async (script) => {
    const { stdout, stderr } = await printedBy(script, '--help');
    const call = script.name === 'start' ? 'npm start' : `npm run ${script.name}`;
    expect(stdout.startsWith(call), stdout).toBe(true);
    expect(stderr).toBe('');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(
    someOf(
      own.filter(({ name }) => !name.startsWith('test:')),
      5,
    ),
  )('$name refuses what it does not know, with its usage', async (script) => {
    const failed = await printedBy(script, '--no-such-option').catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: expect.any(Number), stdout: '' });
    expect(String((failed as { stderr: string }).stderr)).toContain('npm ');
    expect(readdirSync(folder)).toEqual([]);
  });
});
