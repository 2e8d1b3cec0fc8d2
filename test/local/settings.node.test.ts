import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readOptions } from '../../tools/local/options.ts';
import { readSecrets } from '../../tools/local/secrets.ts';

describe('The options', () => {
  it.each([
    ['nothing', [], { port: 8787, stateDir: resolve('.state'), empty: false, json: false }],
    [
      'all',
      ['--port', '9000', '--state', '/tmp/x', '--empty', '--json'],
      { port: 9000, stateDir: '/tmp/x', empty: true, json: true },
    ],
  ])('with %s given are read', (_, args, expected) => {
    expect(readOptions(args)).toEqual(expected);
  });

  it.each([
    ['an unknown option', ['--bogus']],
    ['a port that is not a number', ['--port', 'http']],
    ['a port beyond the last', ['--port', '65536']],
  ])('refuse %s with the usage', (_, args) => {
    expect(() => readOptions(args)).toThrow('npm start -- [--port N] [--state DIR] [--empty]');
  });
});

describe('The secrets', () => {
  let file = '';
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'secrets-')), '.dev.vars');
  });

  it('are made at the first start, strong, for the owner alone', () => {
    const secrets = Object.values(readSecrets({}, file));
    expect(secrets).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{64}$/)));
    expect(new Set(secrets).size).toBe(3);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are the same at the second start', () => {
    expect(readSecrets({}, file)).toEqual(readSecrets({}, file));
  });

  it('come from the environment first, and are then not written down', () => {
    const environment = {
      ADMIN_TOKEN: 'm'.repeat(32),
      TOKEN_KEY: `${'k'.repeat(32)},an old one`,
      DIGEST_KEY: 'd'.repeat(32),
    };
    expect(readSecrets(environment, file)).toEqual(environment);
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('that the file lacks are added to it', () => {
    const kept = 'k'.repeat(32);
    writeFileSync(file, `ADMIN_TOKEN="${kept}"\nSESSION_RETENTION_DAYS=30`);
    chmodSync(file, 0o644);
    const { ADMIN_TOKEN, TOKEN_KEY, DIGEST_KEY } = readSecrets({ ADMIN_TOKEN: '' }, file);
    expect([ADMIN_TOKEN, statSync(file).mode & 0o777]).toEqual([kept, 0o600]);
    expect(readFileSync(file, 'utf8')).toBe(
      `ADMIN_TOKEN="${kept}"\nSESSION_RETENTION_DAYS=30\nTOKEN_KEY=${TOKEN_KEY}\nDIGEST_KEY=${DIGEST_KEY}\n`,
    );
  });

  it.each([
    ['ADMIN_TOKEN', { ADMIN_TOKEN: 'a'.repeat(31) }],
    ['TOKEN_KEY', { TOKEN_KEY: `${'k'.repeat(31)},${'o'.repeat(32)}` }],
    ['DIGEST_KEY', { DIGEST_KEY: 'd'.repeat(31) }],
  ])('that the service would not rely on are refused, in words: %s', (name, environment) => {
    expect(() => readSecrets(environment, file)).toThrow(
      `${name} has fewer than 32 characters. Make a good one: openssl rand -hex 32`,
    );
  });
});
