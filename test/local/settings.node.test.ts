import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readOptions } from '../../src/local/options.ts';
import { readSecrets } from '../../src/local/secrets.ts';

describe('The options', () => {
  it.each([
    ['nothing', [], { port: 8787, stateDir: resolve('.state'), empty: false }],
    ['a port', ['--port', '9000'], { port: 9000, stateDir: resolve('.state'), empty: false }],
    ['a folder', ['--state', '/tmp/x'], { port: 8787, stateDir: '/tmp/x', empty: false }],
    ['no data', ['--empty'], { port: 8787, stateDir: resolve('.state'), empty: true }],
  ])('with %s given are read', (_, args, expected) => {
    expect(readOptions(args)).toEqual(expected);
  });

  it.each([
    ['an unknown option', ['--bogus']],
    ['a stray word', ['bogus']],
    ['a port that is no number', ['--port', 'http']],
    ['port 0', ['--port', '0']],
    ['a port beyond the last', ['--port', '65536']],
    ['no port', ['--port']],
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
    const { ADMIN_TOKEN, TOKEN_KEY } = readSecrets({}, file);
    expect(ADMIN_TOKEN).toMatch(/^[0-9a-f]{64}$/);
    expect(TOKEN_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(TOKEN_KEY).not.toBe(ADMIN_TOKEN);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('are the same at the second start', () => {
    expect(readSecrets({}, file)).toEqual(readSecrets({}, file));
  });

  it('come from the environment first, and are then not written down', () => {
    const environment = { ADMIN_TOKEN: 'mine', TOKEN_KEY: 'also mine' };
    expect(readSecrets(environment, file)).toEqual(environment);
    expect(() => statSync(file)).toThrow('ENOENT');
  });

  it('that the file lacks are added to it', () => {
    writeFileSync(file, 'ADMIN_TOKEN="kept"\nREAD_REPLICATION=on');
    const { ADMIN_TOKEN, TOKEN_KEY } = readSecrets({ ADMIN_TOKEN: '' }, file);
    expect(ADMIN_TOKEN).toBe('kept');
    expect(readFileSync(file, 'utf8')).toBe(
      `ADMIN_TOKEN="kept"\nREAD_REPLICATION=on\nTOKEN_KEY=${TOKEN_KEY}\n`,
    );
  });
});
