import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { REQUIRED_SECRETS } from '../../tools/deploy/environment.ts';
import { type Found, planOf, type Step } from '../../tools/deploy/plan.ts';
import type { Deployed } from '../../tools/deploy/platform.ts';
import { messageOf, type Release, releaseOf } from '../../tools/deploy/release.ts';
import { rollbackOf } from '../../tools/deploy/rollback-plan.ts';
import { afterFailure, afterRollback, titleOf } from '../../tools/deploy/words.ts';
import { THOROUGH } from '../support/run-form.ts';

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

/** A database that lacks a migration. */
const BEHIND = { name: 'DB', pending: ['1.sql'], lowestWriter: 0 };
const IN_STEPS = ['upload', 'stand by', 'try', 'switch', 'check', 'triggers'];

describe('The plan', () => {
  it.each<[string, Partial<Found>, readonly string[]]>([
    ['a release', {}, IN_STEPS],
    ['a release with a migration', { databases: [BEHIND] }, ['migrate', ...IN_STEPS]],
    [
      'one for two databases',
      { databases: [BEHIND, { ...BEHIND, name: 'DB_2' }] },
      ['migrate', 'migrate', ...IN_STEPS],
    ],
    ['a version that other hands made', { deployed: { ...BEFORE, release: null } }, ['replace', 'check']],
    [
      'objects that migrate',
      { release: { ...RELEASE, objects: 'v2' }, databases: [BEHIND] },
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
    [{ do: 'migrate', database: 'DB', migrations: ['1.sql'] }, 'No caller was affected'],
    [{ do: 'upload' }, 'No caller was affected'],
    [{ do: 'stand by', before: 'old' }, 'No caller was affected'],
    [{ do: 'try' }, 'No caller was affected'],
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
const withNext = (version: string, next: string) => ({
  created_on: '',
  versions: [
    { version_id: version, percentage: 100 },
    { version_id: next, percentage: 0 },
  ],
});

describe('A rollback', () => {
  it.each([
    ['after a release', [at100('b'), withNext('a', 'b'), at100('a')], 'a'],
    ['after a release that stayed at 0 %', [withNext('b', 'c'), at100('b'), at100('a')], 'a'],
    [
      'after a rollback, further back',
      [at100('b'), at100('c'), withNext('b', 'c'), at100('b'), at100('a')],
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
    ['nothing but what serves', [at100('a'), withNext('a', 'b'), at100('a')]],
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
