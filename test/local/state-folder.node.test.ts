import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepDemoProfile } from '../../tools/local/demo/profile.ts';
import { readSecrets } from '../../tools/local/secrets.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const folder = mkdtempSync(join(tmpdir(), 'state-folder-'));

describe('A file of secrets that others may read', () => {
  it('is closed to them when it is read', () => {
    const file = join(folder, '.dev.vars');
    writeFileSync(file, 'SESSION_RETENTION_DAYS=30\n');
    chmodSync(file, 0o644);
    readSecrets({}, file);
    expect(modeOf(file)).toBe(0o600);
  });
});

describe('The profile of a demonstration', () => {
  it('is in the folder of its data, for its owner alone', () => {
    const file = keepDemoProfile(folder, 'http://localhost:8787', 'pev_at_office');
    expect(file.startsWith(folder)).toBe(true);
    expect(modeOf(file)).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      current: 'demo',
      profiles: { demo: { url: 'http://localhost:8787', access_token: 'pev_at_office' } },
    });
  });
});
