import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { beforeEach, expect, it } from 'vitest';
import { configured } from '../../tools/local/configured.ts';
import { applyMigrations } from '../../tools/local/migrations.ts';
import { freePort } from '../support/free-port.ts';
import { START_MS, start } from './started.ts';

const FIRST = '0000_schema.sql';
let stateDir: string;
let id: string;

beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'other-checkout-'));
  const [database] = (await configured()).d1_databases;
  id = database?.database_id ?? expect.fail('no database');
  await applyMigrations(stateDir, id);
});

async function execute(sql: string): Promise<void> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...{ modules: true, script: '' },
      resourcePersistencePath: join(stateDir, 'v3'),
      d1Databases: [id],
    }),
  );
  await (await miniflare.getD1Database(id)).prepare(sql).run();
  await miniflare.dispose();
}

const rename = (name: string) => execute(`update d1_migrations set name = '${name}' where name = '${FIRST}'`);

it.each<[string, string, () => unknown]>([
  ['whose first migration has another name', '0000_tables.sql', () => rename('0000_tables.sql')],
  [
    'that has a migration more',
    '0017_more.sql',
    () => execute(`insert into d1_migrations (name) values ('0017_more.sql')`),
  ],
  [
    'whose first migration has another text',
    FIRST,
    () => writeFileSync(join(stateDir, 'migrations.json'), JSON.stringify({ [FIRST]: 'another' })),
  ],
])(
  'A start refuses the folder of a checkout %s, and names the way out',
  async (_, migration, change) => {
    await change();
    const refused = await start(await freePort(), stateDir, /never/).catch((error: Error) => error.message);
    expect(refused).toMatch(/^it ended with 1:\n/);
    expect(refused).toContain(
      `${stateDir} was made by another checkout: its migration ${migration} is not the one here. ` +
        `Choose another folder: npm start -- --state DIR\nOr delete ${stateDir}, with all its data.\n`,
    );
    expect(refused).not.toMatch(/^ +at /m);
  },
  START_MS,
);

it('A start takes its own folder again', async () => {
  await applyMigrations(stateDir, id);
  expect(JSON.parse(readFileSync(join(stateDir, 'migrations.json'), 'utf8'))).toHaveProperty([FIRST]);
});
