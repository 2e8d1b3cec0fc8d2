import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../tools/deploy/arguments.ts';
import { type Environment, environmentOf, REQUIRED_SECRETS } from '../../tools/deploy/environment.ts';
import { type Deployed, type Found, planOf, type Step } from '../../tools/deploy/plan.ts';
import { messageOf, type Release, releaseOf } from '../../tools/deploy/release.ts';
import { rollbackOf } from '../../tools/deploy/rollback-plan.ts';
import { readSettings, type Settings } from '../../tools/deploy/settings.ts';
import { afterFailure, afterRollback, titleOf } from '../../tools/deploy/words.ts';
import { THOROUGH } from '../support/run-form.ts';

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
    ['production’s database', STAGING, { ...PRODUCTION, DB: ID }, WRITTEN, 'an id of production'],
    ['production’s KV', STAGING, { ...PRODUCTION, SNAPSHOTS: KV }, WRITTEN, 'an id of production'],
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
      'an address of production',
    ],
    [
      'production’s domain',
      { ...STAGING, DOMAIN: 'Live.example.org' },
      { ...PRODUCTION, DOMAIN: 'live.example.org' },
      WRITTEN,
      'an address of production',
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

const RELEASE: Release = { commit: 'abc', schema: 20, objects: 'v1' };
const BEFORE: Deployed = { is: 'running', version: 'old', release: { ...RELEASE, schema: 19 } };
const FOUND: Found = {
  environment: 'staging',
  release: RELEASE,
  deployed: BEFORE,
  secrets: ['ADMIN_TOKEN', 'TOKEN_KEY', 'DIGEST_KEY'],
  databases: [{ name: 'DB', pending: [], lowestWriter: 20 }],
};

const planned = (found: Partial<Found>) => planOf({ ...FOUND, ...found }, REQUIRED_SECRETS);
const doings = (found: Partial<Found>) => {
  const plan = planned(found);
  return 'steps' in plan ? plan.steps.map((step) => step.do) : plan;
};

const BESIDE = ['upload', 'stand by', 'try', 'switch', 'check', 'triggers'];

describe('The plan', () => {
  it.each<[string, Partial<Found>, readonly string[]]>([
    ['a release', {}, BESIDE],
    [
      'a release with a migration',
      { databases: [{ name: 'DB', pending: ['1.sql'], lowestWriter: 0 }] },
      ['migrate', ...BESIDE],
    ],
    [
      'one for two databases',
      {
        databases: [
          { name: 'DB', pending: ['1.sql'], lowestWriter: 0 },
          { name: 'DB_2', pending: ['1.sql'], lowestWriter: 0 },
        ],
      },
      ['migrate', 'migrate', ...BESIDE],
    ],
    ['a version that other hands made', { deployed: { ...BEFORE, release: null } }, ['replace', 'check']],
    [
      'objects that migrate',
      {
        release: { ...RELEASE, objects: 'v2' },
        databases: [{ name: 'DB', pending: ['1.sql'], lowestWriter: 0 }],
      },
      ['migrate', 'replace', 'check'],
    ],
    [
      'a first deployment',
      { deployed: { is: 'running', version: 'draft', release: null } },
      ['replace', 'check'],
    ],
  ])('of %s', (_, found, steps) => {
    expect(doings(found)).toEqual(steps);
  });

  it.each<[string, Partial<Found>, string]>([
    ['a secret that is not set', { secrets: ['TOKEN_KEY'] }, 'npm run secret DIGEST_KEY -- --env staging'],
    [
      'a Worker that does not exist, and so has none',
      { deployed: { is: 'absent' }, secrets: [] },
      'TOKEN_KEY',
    ],
    [
      'a schema that has outgrown the release',
      { databases: [{ name: 'DB', pending: [], lowestWriter: 21 }] },
      'must know migration 21',
    ],
    [
      'a database that does not answer',
      { databases: [{ name: 'DB_2', pending: null, lowestWriter: 0 }] },
      'DB_2',
    ],
    ['versions that share the calls', { deployed: { is: 'shared' } }, '100 %'],
  ])('is refused for %s', (_, found, word) => {
    expect(planned(found)).toEqual({
      refused: expect.arrayContaining([expect.stringContaining(word)]),
    });
  });

  it('says when the new version gets all calls at once, and why', () => {
    const notes = (found: Partial<Found>) => {
      const plan = planned(found);
      return 'notes' in plan ? plan.notes : [];
    };
    expect(notes({})).toEqual([]);
    expect(notes({ release: { ...RELEASE, objects: 'v2' } })).toEqual([expect.stringContaining('v1 to v2')]);
    expect(notes({ deployed: { ...BEFORE, release: null } })).toEqual([expect.stringContaining('at once')]);
    expect(notes({ secrets: [...REQUIRED_SECRETS] })).toEqual([expect.stringContaining('ADMIN_TOKEN')]);
  });

  it('tries the new version before anybody reaches it', () => {
    const steps = doings({}) as string[];
    expect(steps.indexOf('try')).toBeLessThan(steps.indexOf('switch'));
  });

  it.each<[Step, string]>([
    [{ do: 'migrate', database: 'DB', migrations: ['1.sql'] }, 'No call has noticed'],
    [{ do: 'upload' }, 'No call has noticed'],
    [{ do: 'stand by', before: 'old' }, 'No call has noticed'],
    [{ do: 'try' }, 'No call has noticed'],
    [{ do: 'switch' }, 'Either version may serve'],
    [{ do: 'replace' }, 'Either version may serve'],
    [{ do: 'check' }, 'npm run rollback -- --env staging'],
    [{ do: 'triggers' }, 'The new version serves'],
  ])('says what holds when %j fails, and what to do', (step, holds) => {
    expect(titleOf(step)).toMatch(/\w/);
    expect(afterFailure(step, 'staging')).toContain(holds);
    expect(afterFailure(step, 'staging')).toMatch(/npm run (deploy|rollback) -- --env staging/);
  });
});

it('After a rollback whose smoke test failed, what holds and what to do are said', () => {
  const said = afterRollback(RELEASE, 'staging');
  expect(said).toContain('abc serves all calls');
  expect(said).toContain('npm run rollback -- --env staging');
});

describe('A release', () => {
  it.each([RELEASE, { commit: 'abc+changes', schema: 0, objects: '' }])(
    'is read from its message: %j',
    (release) => {
      expect(releaseOf(messageOf(release))).toEqual(release);
    },
  );

  it.each([undefined, '', 'commit abc', 'Automatic deployment'])('is not read from %j', (message) => {
    expect(releaseOf(message)).toBeNull();
  });
});

const at100 = (version: string) => ({ created_on: '', versions: [{ version_id: version, percentage: 100 }] });
const beside = (version: string, next: string) => ({
  created_on: '',
  versions: [
    { version_id: version, percentage: 100 },
    { version_id: next, percentage: 0 },
  ],
});

describe('A rollback', () => {
  it.each([
    ['after a release', [at100('b'), beside('a', 'b'), at100('a')], 'a'],
    ['after a release that stayed at 0 %', [beside('b', 'c'), at100('b'), at100('a')], 'a'],
    [
      'after a rollback, further back',
      [at100('b'), at100('c'), beside('b', 'c'), at100('b'), at100('a')],
      'a',
    ],
    [
      'of an even share, to the version before it',
      [
        {
          created_on: '',
          versions: [
            { version_id: 'b', percentage: 50 },
            { version_id: 'c', percentage: 50 },
          ],
        },
        at100('b'),
        at100('a'),
      ],
      'b',
    ],
  ])('%s goes to the version before', (_, deployments, to) => {
    expect(rollbackOf(deployments)).toEqual({ to });
  });

  it.each([
    ['no Worker', []],
    ['a first deployment', [at100('a')]],
    ['nothing but what serves', [at100('a'), beside('a', 'b'), at100('a')]],
  ])('is refused with %s', (_, deployments) => {
    expect(rollbackOf(deployments)).toHaveProperty('refused');
  });
});

if (THOROUGH) {
  it('All of it, rehearsed on this machine while calls are made, brings no wrong answer', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['tools/platform/rehearsal/rehearse.ts']);
    expect(stdout).toContain('Well: no answer was wrong.');
  }, 1_800_000);
}
