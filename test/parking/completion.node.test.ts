import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHELLS } from '../../clients/parking/completion/scripts.ts';
import { Desk, installedCommand } from './office.ts';

let desk: Desk;
beforeAll(() => {
  desk = new Desk();
});
afterAll(() => desk.leave());

/** What is offered for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const { code, out, err } = await desk.run(['__complete', '--', ...words]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out.split('\n').filter((line) => line !== '');
}

describe('A word that is being typed', () => {
  it.each([
    [['con'], ['config']],
    [
      ['config', ''],
      ['init', 'get', 'diff', 'put', 'help'],
    ],
    [
      ['credential', 'r'],
      ['rotate', 'revoke', 'reconcile'],
    ],
    [['check', 'AB123CD', '--ev'], ['--event']],
    [
      ['check', 'AB123CD', '--event', 'e'],
      ['entry', 'exit'],
    ],
    [['check', 'AB123CD', '--event', 'entry', '--are'], ['--area']],
    [['import', 'sessions', ''], [':files']],
    [['import', 'sessions', 'a.csv', '--rejected', ''], [':files']],
    [['report', '--json', '--typ'], ['--type']],
    [['--json', 'report', '--type', 's'], ['street']],
    [['completion', 'z'], ['zsh']],
    [['check', 'con'], []],
  ])('%j is completed by %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('is a profile’s name where one is wanted', async () => {
    mkdirSync(desk.path('config/parking'), { recursive: true });
    const book = {
      current: null,
      profiles: { demo: { url: 'http://localhost:8787' }, roma: { url: 'https://roma.example' } },
    };
    writeFileSync(desk.path('config/parking/profiles.json'), JSON.stringify(book));
    expect(await offered('report', '--profile', '')).toEqual(['demo', 'roma']);
    expect(await offered('profiles', 'r')).toEqual(['roma']);
  });

  it('is never one of the commands that are for shells alone', async () => {
    expect(await offered('')).toContain('report');
    expect((await offered('')).filter((word) => word.startsWith('__'))).toEqual([]);
  });
});

describe('A shell', () => {
  it.each(SHELLS)('%s gets a script that asks the command itself', async (shell) => {
    const { code, out } = await desk.run(['completion', shell]);
    expect(code).toBe(0);
    expect(out).toContain('__complete --');
  });

  it('completes by it: bash', async () => {
    const script = [
      `parking() { '${process.execPath}' '${installedCommand()}' "$@"; }`,
      'source <(parking completion bash)',
      `COMP_WORDS=(parking credential ro); COMP_CWORD=2; _parking; printf "%s\\n" "\${COMPREPLY[@]}"`,
      `COMP_WORDS=(parking check A --event ""); COMP_CWORD=4; _parking; printf "%s\\n" "\${COMPREPLY[@]}"`,
    ].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    expect(stdout.trim().split('\n')).toEqual(['rotate', 'verify', 'entry', 'exit']);
  });
});
