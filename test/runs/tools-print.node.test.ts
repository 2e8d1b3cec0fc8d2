import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { marked } from '../../clients/parking/terminal/door.ts';
import { shown } from '../../tools/print.ts';
import { filesBelow, source, withoutComments } from '../architecture/source.ts';

const HOSTILE = 'x\x1b]0;title\x07\x1b[35m\x9b2J\r\u202e';
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

describe('The tools', () => {
  it('print by one door alone', () => {
    const printing = /\bconsole\.|\.(?:stdout|stderr)\.write\b/;
    // What is within a template is a sample for whoever reads the description.
    const code = (path: string) =>
      withoutComments(source(path))
        .replace(/`[^`]*`/g, '``')
        .replace(/'[^'\n]*'/g, "''");
    const doors = filesBelow('tools').filter((path) => printing.test(code(path)));
    expect(doors).toEqual(['tools/print.ts']);
  });

  it('show what would steer the terminal as its number, line by line, and have their own colours', () => {
    expect(shown(`${marked('\x1b[32mgood\x1b[0m')}: a\x1b[31mb\nc\u202e`)).toBe(
      '\x1b[32mgood\x1b[0m: a<U+001B>[31mb\nc<U+202E>',
    );
  });

  it.each([
    'local/start.ts',
    'local/secret.ts',
    'gate/run.ts',
    'patrol/run.ts',
    'deploy/deploy.ts',
    'deploy/rollback.ts',
    'cost/cost.ts',
  ])('show nothing of their arguments that steers the terminal: %s', (tool) => {
    for (const args of [
      [`--${HOSTILE}`],
      [HOSTILE],
      ['--state', `/nowhere/${HOSTILE}`],
      ['--env', HOSTILE],
    ]) {
      const { stdout, stderr, status } = spawnSync('node', [`tools/${tool}`, ...args, '--never'], {
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(status).not.toBe(0);
      const printed = stdout + stderr;
      expect(printed).not.toBe('');
      expect(printed.split('\n').filter((line) => STEERING.test(line))).toEqual([]);
    }
  });
});
