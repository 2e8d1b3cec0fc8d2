import { describe, expect, it } from 'vitest';
import { readArguments } from '../../tools/deploy/arguments.ts';
import { type Environment, environmentOf } from '../../tools/deploy/environment.ts';
import { readSettings, type Settings } from '../../tools/deploy/settings.ts';

describe('The arguments', () => {
  it.each([
    [[], 'production', false],
    [['--env', 'staging'], 'staging', false],
    [['--env=staging', '--dry-run'], 'staging', true],
    [['--dry-run'], 'production', true],
  ])('%j mean %s, dry run %s', (args, environment, dryRun) => {
    expect(readArguments('deploy', args)).toEqual({ environment, dryRun });
  });

  it.each([
    [['--env', 'stagging'], '"stagging"'],
    [['--env', ''], '""'],
    [['--enviroment', 'staging'], '--enviroment'],
    [['staging'], 'staging'],
    [['--dryrun'], '--dryrun'],
    [['--env'], '--env'],
  ])('%j are refused by name', (args, name) => {
    expect(() => readArguments('deploy', args)).toThrow(name);
    expect(() => readArguments('deploy', args)).toThrow('npm run deploy -- [--env NAME] [--dry-run]');
  });
});

const ID = '0a1b2c3d-0000-4000-8000-000000000001';
const OTHER_ID = '0a1b2c3d-0000-4000-8000-000000000002';
const KV = '0123456789abcdef0123456789abcdef';
const OTHER_KV = 'fedcba9876543210fedcba9876543210';

const WRITTEN = {
  name: 'parking',
  main: 'worker.js',
  d1_databases: [{ binding: 'DB', database_id: '00000000-0000-0000-0000-000000000000' }],
  kv_namespaces: [{ binding: 'SNAPSHOTS', id: KV }],
  migrations: [{ tag: 'v1' }, { tag: 'v2' }],
  vars: { READ_REPLICATION: 'off' },
  env: { production: { name: 'parking' }, staging: { name: 'parking-staging' } },
};
const STAGING = { ADDRESS: 'https://staging.example.org/', DB: ID, SNAPSHOTS: KV };
const PRODUCTION = { ADDRESS: 'https://parking.example.org', DB: OTHER_ID, SNAPSHOTS: OTHER_KV };

const staging = (settings: Settings, production: Settings = PRODUCTION, written: object = WRITTEN) =>
  environmentOf(written, 'staging', { staging: settings, production });

describe('An environment', () => {
  it('has what stands at the top, its own name, and the ids that it was given', () => {
    const environment = staging({ ...STAGING, ACCOUNT: 'a1' }) as Environment;
    expect(environment).toMatchObject({
      worker: 'parking-staging',
      address: 'https://staging.example.org',
      databases: ['DB'],
      objects: 'v2',
      check: null,
    });
    expect(environment.config).toMatchObject({
      name: 'parking-staging',
      main: 'worker.js',
      account_id: 'a1',
      vars: { READ_REPLICATION: 'off' },
      d1_databases: [{ binding: 'DB', database_id: ID }],
      kv_namespaces: [{ binding: 'SNAPSHOTS', id: KV }],
      secrets: { required: ['TOKEN_KEY', 'DIGEST_KEY'] },
    });
    expect(environment.config).not.toHaveProperty('env');
  });

  it('with a domain of its own answers nowhere else', () => {
    const environment = staging({ ...STAGING, DOMAIN: 'staging.example.org' }) as Environment;
    expect(environment.config).toMatchObject({
      routes: [{ pattern: 'staging.example.org', custom_domain: true }],
      workers_dev: false,
      preview_urls: false,
    });
  });

  it.each<[string, Settings, Settings, object, string]>([
    ['no id', { ...STAGING, DB: '' }, PRODUCTION, WRITTEN, 'DEPLOY_STAGING_DB'],
    [
      'an id of zeros',
      { ...STAGING, DB: '00000000-0000-0000-0000-000000000000' },
      PRODUCTION,
      WRITTEN,
      'DB of staging',
    ],
    [
      'a KV id of zeros',
      { ...STAGING, SNAPSHOTS: '0'.repeat(32) },
      PRODUCTION,
      WRITTEN,
      'SNAPSHOTS of staging',
    ],
    ['an id of another form', { ...STAGING, SNAPSHOTS: ID }, PRODUCTION, WRITTEN, 'SNAPSHOTS of staging'],
    ['production’s database', STAGING, { ...PRODUCTION, DB: ID }, WRITTEN, 'id that belongs to production'],
    ['production’s KV', STAGING, { ...PRODUCTION, SNAPSHOTS: KV }, WRITTEN, 'id that belongs to production'],
    ['no address', { ...STAGING, ADDRESS: '' }, PRODUCTION, WRITTEN, 'ADDRESS of staging'],
    [
      'an address with a path',
      { ...STAGING, ADDRESS: 'https://a.example/b' },
      PRODUCTION,
      WRITTEN,
      'ADDRESS',
    ],
    ['an address in the clear', { ...STAGING, ADDRESS: 'http://a.example' }, PRODUCTION, WRITTEN, 'ADDRESS'],
    [
      'production’s address',
      { ...STAGING, ADDRESS: 'https://parking.example.org' },
      PRODUCTION,
      WRITTEN,
      'address that belongs to production',
    ],
    [
      'production’s domain',
      { ...STAGING, DOMAIN: 'Live.example.org' },
      { ...PRODUCTION, DOMAIN: 'live.example.org' },
      WRITTEN,
      'address that belongs to production',
    ],
    ['half of a check', { ...STAGING, CHECK_TOKEN: 'pev_at' }, PRODUCTION, WRITTEN, 'CHECK_PLATE'],
    ['production’s name', STAGING, PRODUCTION, { ...WRITTEN, env: {} }, 'name "parking"'],
    [
      'a further database without an id',
      STAGING,
      PRODUCTION,
      { ...WRITTEN, d1_databases: [{ binding: 'DB' }, { binding: 'DB_2' }] },
      'DEPLOY_STAGING_DB_2',
    ],
  ])('with %s is refused', (_, settings, production, written, word) => {
    expect(staging(settings, production, written)).toEqual({ wrong: [expect.stringContaining(word)] });
  });

  it('takes variables before the file, each of its own environment', () => {
    const { production, staging: given } = readSettings('/no/such/file', {
      DEPLOY_STAGING_DB: ID,
      DEPLOY_PRODUCTION_DB: OTHER_ID,
      DEPLOY_STAGING_ADDRESS: '',
      DB: 'x',
    });
    expect(given).toEqual({ DB: ID });
    expect(production).toEqual({ DB: OTHER_ID });
  });
});
