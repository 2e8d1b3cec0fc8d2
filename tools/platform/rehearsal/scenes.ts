import { equal, match, notEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../local/wrangler.ts';
import { OFFICE } from './office-scenes.ts';
import {
  deploy,
  fails,
  type Memory,
  rollBack,
  type Scene,
  SECOND_DATABASE,
  STAGING,
  succeeds,
} from './scene.ts';
import { type Stage, WORKER } from './stage.ts';

const READINESS = 'src/serving/service/operations.ts';
const MIGRATION = 'migrations/9999_rehearsal.sql';

const ready = async (stage: Stage) => {
  stage.played.add('GET /ready');
  // An isolate caches its findings for five seconds, but a change of versions has made a new isolate.
  const response = await fetch(`${stage.platform.address}/ready`);
  return { status: response.status, body: JSON.stringify(await response.json()) };
};

/** A migration that only adds: the version before must work with it. */
function addMigration(stage: Stage): void {
  const schema = readFileSync(join(PROJECT_ROOT, 'src/storage/db/schema/state.ts'), 'utf8');
  const [, known = ''] = /KNOWN_SCHEMA = (\d+)/.exec(schema) ?? [];
  stage.edit('src/storage/db/schema/state.ts', `KNOWN_SCHEMA = ${known}`, 'KNOWN_SCHEMA = 9999');
  stage.write(
    MIGRATION,
    'CREATE TABLE `rehearsal` (`id` integer PRIMARY KEY);\n--> statement-breakpoint\nUPDATE `schema_state` SET `number` = 9999;\n',
  );
  stage.commit('Add a table');
}

/** In the order in which they are played: each begins where the one before has ended. */
const RELEASES: readonly Scene[] = [
  {
    name: 'a release with a migration',
    play: async (stage) => {
      const before = stage.serving;
      addMigration(stage);
      const dry = await deploy(stage, '--dry-run');
      succeeds(dry);
      match(dry.text, /migrate DB: 9999_rehearsal\.sql[\s\S]*at 0 %[\s\S]*Nothing was changed/);
      equal(stage.serving, before);
      const said = await deploy(stage);
      succeeds(said);
      match(said.text, /smoke test of the new version[\s\S]*well: \/health, \/ready/);
      notEqual(stage.serving, before);
    },
  },
  {
    name: 'a smoke test that fails',
    play: async (stage) => {
      const before = stage.serving;
      stage.edit(READINESS, '    secret: !hasSecrets(env),', '    secret: true,');
      stage.commit('Break it');
      fails(
        await deploy(stage),
        /NOT_READY[\s\S]*No caller was affected[\s\S]*npm run deploy -- --env staging/,
      );
      equal(stage.serving, before);
      stage.edit(READINESS, '    secret: true,', '    secret: !hasSecrets(env),');
      stage.commit('Fix it');
    },
  },
  {
    name: 'a rollback',
    failures: 'imports, which a version refuses while the scene has set the schema too new for it',
    play: async (stage, memory) => {
      const outgrow = (lowest: number) =>
        stage.platform.runtime
          .database(memory.databases.DB)
          .then((db) => db.prepare('update schema_state set lowest_writer = ?').bind(lowest).run());
      await outgrow(10_000);
      fails(await rollBack(stage), /Nothing was changed[\s\S]*outgrown/);
      fails(await deploy(stage, '--dry-run'), /Nothing was changed[\s\S]*outgrown/);
      await outgrow(0);
      succeeds(await rollBack(stage));
      equal(stage.serving, memory.first);
    },
  },
  {
    name: 'a secret that is lost',
    failures: 'all calls, until the key is set again',
    play: async (stage, memory) => {
      // After a rollback the platform takes no secret: the newest version is not the one that serves.
      fails(await stage.run('local/secret.ts', 'ADMIN_TOKEN', ...STAGING), /isn't currently deployed/);
      succeeds(await deploy(stage));
      succeeds(await stage.wrangler('secret', 'delete', 'TOKEN_KEY', '--name', WORKER));
      const lost = await ready(stage);
      equal(lost.status, 503);
      match(lost.body, /"failing":\["secret"\]/);
      fails(await deploy(stage, '--dry-run'), /npm run secret TOKEN_KEY -- --env staging/);
      stage.give('TOKEN_KEY', memory.tokenKey);
      succeeds(await stage.run('local/secret.ts', 'TOKEN_KEY', ...STAGING));
      equal((await ready(stage)).status, 200);
    },
  },
  {
    name: 'a database that is away',
    failures: 'calls of the city that lives in it',
    play: async (stage, { databases }) => {
      await stage.platform.runtime.setAway(databases.DB_2, true);
      const away = await ready(stage);
      equal(away.status, 200);
      match(away.body, /"database:DB_2"/);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await stage.platform.runtime.setAway(databases.DB_2, false);
      equal((await ready(stage)).body.includes('database:'), false);
    },
  },
];

export const SCENES: readonly Scene[] = [...RELEASES, ...OFFICE];

/** Makes the resources of an environment, then deploys it for the first time, as in `docs/deploying.md`. */
export async function firstDeployment(stage: Stage): Promise<Memory> {
  stage.edit('wrangler.toml', '[version_metadata]', `${SECOND_DATABASE}[version_metadata]`);
  stage.commit('Bind a second database');
  const made = async (...command: string[]) => {
    const said = await stage.wrangler(...command);
    succeeds(said);
    return /"([0-9a-f-]{32,36})"/.exec(said.text)?.[1] ?? '';
  };
  const databases = {
    DB: await made('d1', 'create', 'parking-entitlements-staging'),
    DB_2: await made('d1', 'create', 'parking-entitlements-staging-2'),
  };
  stage.give('DEPLOY_STAGING_DB', databases.DB);
  stage.give('DEPLOY_STAGING_DB_2', databases.DB_2);
  stage.give('DEPLOY_STAGING_SNAPSHOTS', await made('kv', 'namespace', 'create', 'SNAPSHOTS-staging'));
  fails(await deploy(stage, '--dry-run'), /The secret TOKEN_KEY is not set/);
  const secret = async (name: string) => {
    const said = await stage.run('local/secret.ts', name, ...STAGING);
    succeeds(said);
    return /[0-9a-f]{64}/.exec(said.text)?.[0] ?? '';
  };
  const tokenKey = await secret('TOKEN_KEY');
  await secret('DIGEST_KEY');
  const adminToken = await secret('ADMIN_TOKEN');
  const said = await deploy(stage);
  succeeds(said);
  match(said.text, /all calls at once/);
  return { tokenKey, adminToken, databases, first: stage.serving };
}
