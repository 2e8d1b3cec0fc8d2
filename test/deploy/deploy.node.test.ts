import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const OLD = '11111111-1111-4111-8111-111111111111';
const NEW = '22222222-2222-4222-8222-222222222222';

/** What the command `wrangler` does: it writes down its call, and answers. A failure is one of a command's first words. */
const WRANGLER = `#!/usr/bin/env node
const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
const said = process.argv.slice(2).join(' ');
appendFileSync('calls', said + '\\n');
const { FAILS, SAYS, SERVING, WRANGLER_OUTPUT_FILE_PATH: output } = process.env;
if (FAILS && said.startsWith(FAILS)) {
  console.error(SAYS);
  process.exit(1);
}
if (said.startsWith('deployments status')) console.log(SERVING);
if (output) writeFileSync(output, JSON.stringify({ version_id: '${NEW}' }) + '\\n');
if (said.startsWith('versions deploy ${NEW}@100') || said.startsWith('deploy ')) writeFileSync('switched', '');
`;

const CONFIG = (address: string) => `
[env.staging]
name = "parking-staging"
vars = { ADDRESS = "${address}" }
d1_databases = [{ binding = "DB", database_id = "0a1b2c3d-0000-4000-8000-000000000001" }]
kv_namespaces = [{ binding = "SNAPSHOTS", id = "0123456789abcdef0123456789abcdef" }]

[env.production]
name = "parking"
d1_databases = [{ binding = "DB", database_id = "00000000-0000-0000-0000-000000000000" }]
kv_namespaces = [{ binding = "SNAPSHOTS", id = "00000000000000000000000000000000" }]
`;

let folder = '';
let service: Server;
/** Each call of the service: its path, and the version that answered. */
let asked: string[] = [];
let ready: Record<string, number>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  asked = [];
  ready = { [OLD]: 200, [NEW]: 200 };
  service = createServer((request, response) => {
    const override = String(request.headers['cloudflare-workers-version-overrides'] ?? '');
    const [, wanted = isSwitched() ? NEW : OLD] = /^parking-staging="(.*)"$/.exec(override) ?? [];
    asked.push(`${request.url} ${wanted}`);
    const status = request.url === '/ready' ? (ready[wanted] ?? 500) : 200;
    response.writeHead(status, { 'X-Service-Version': wanted }).end('{}');
  });
  await new Promise<void>((listening) => service.listen(0, listening));
  const address = service.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  writeFileSync(join(folder, 'wrangler.toml'), CONFIG(`http://localhost:${port}`));
  for (const [name, text] of [
    ['wrangler', WRANGLER],
    ['git', '#!/bin/sh\necho 0123456789ab\n'],
  ] as const) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
});

afterEach(() => {
  service.close();
  rmSync(folder, { recursive: true });
});

const calls = (): string[] =>
  isThere('calls') ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
const isSwitched = () => isThere('switched');
function isThere(file: string): boolean {
  try {
    readFileSync(join(folder, file));
    return true;
  } catch {
    return false;
  }
}

const share = (versions: Record<string, number>) =>
  JSON.stringify({
    versions: Object.entries(versions).map(([version_id, percentage]) => ({ version_id, percentage })),
  });

interface Ran {
  readonly failed: boolean;
  readonly printed: string;
}

/** Runs the command in the folder, with its `wrangler` and its `git`. */
function deploy(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    SERVING: share({ [OLD]: 100 }),
    ...variables,
  };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [resolve('tools/deploy.ts'), ...args],
      { cwd: folder, env },
      (error, stdout, stderr) => done({ failed: error !== null, printed: stdout + stderr }),
    );
  });
}

const STAGING = ['--env', 'staging'];
const CHECKED = ['/health', '/ready', '/api/v2/openapi.json'];

const UNTIL_UPLOAD = [
  'deployments status --json --env staging',
  'd1 migrations apply DB --remote --env staging',
  'versions upload --tag 0123456789ab --env staging',
];

describe('npm run deploy', () => {
  it('migrates, tests the new version at 0 %, gives it all calls, and tests it again', async () => {
    const { failed, printed } = await deploy(STAGING);
    expect(printed).toContain(`npx wrangler rollback ${OLD} --env staging`);
    expect(failed).toBe(false);
    expect(calls()).toEqual([
      ...UNTIL_UPLOAD,
      `versions deploy ${OLD}@100 ${NEW}@0 --yes --env staging`,
      `versions deploy ${NEW}@100 --yes --env staging`,
      'triggers deploy --env staging',
    ]);
    const tested = ['/health', ...CHECKED].map((path) => `${path} ${NEW}`);
    expect(asked).toEqual([...tested, ...tested]);
  });

  it('checks a plate too, where it is given one', async () => {
    await deploy(STAGING, { CHECK_TOKEN: 'pev_at_1', CHECK_PLATE: 'AB123CD' });
    expect(asked.filter((call) => call.startsWith('/api/v2/parking-entitlements/search'))).toHaveLength(2);
  });

  it('stops before the switch where the new version does not stand the test', async () => {
    ready[NEW] = 503;
    const { failed, printed } = await deploy(STAGING);
    expect(printed).toContain('/ready answered 503');
    expect(failed).toBe(true);
    expect(calls().at(-1)).toBe(`versions deploy ${OLD}@100 ${NEW}@0 --yes --env staging`);
  });

  it.each([
    ['deployments status', 'The Worker was not found. [code: 10007]', UNTIL_UPLOAD.slice(0, 2)],
    ['versions upload', 'This Worker has a pending Durable Object migration', UNTIL_UPLOAD],
  ])('goes straight where %s says "%s"', async (fails, says, before) => {
    const { failed } = await deploy(STAGING, { FAILS: fails, SAYS: says });
    expect(failed).toBe(false);
    expect(calls()).toEqual([...before, 'deploy --tag 0123456789ab --env staging']);
    expect(asked).toEqual(['/health', ...CHECKED].map((path) => `${path} ${NEW}`));
  });

  it.each(['deployments status', 'd1 migrations', 'versions deploy'])(
    'stops with what Wrangler says where %s fails',
    async (fails) => {
      const { failed, printed } = await deploy(STAGING, {
        FAILS: fails,
        SAYS: '\u001b[31mno such account\u001b[0m',
      });
      expect(printed.split('\n')).toContain('no such account');
      expect(failed).toBe(true);
      expect(calls().at(-1)).toContain(fails);
    },
  );

  it('stops where several versions share the calls', async () => {
    const { printed } = await deploy(STAGING, { SERVING: share({ [OLD]: 50, [NEW]: 50 }) });
    expect(printed).toContain('npx wrangler versions deploy --env staging');
    expect(calls()).toHaveLength(1);
  });

  it.each([
    [['--dry-run'], false],
    [[], true],
  ])('names what wrangler.toml lacks, and asks nobody, with %j', async (args, fails) => {
    const { failed, printed } = await deploy(args);
    expect(failed).toBe(fails);
    for (const lack of ['database_id', 'id of SNAPSHOTS', 'ADDRESS']) {
      expect(printed).toContain(`in [env.production] of wrangler.toml: ${lack}`);
    }
    expect(printed).not.toContain('\x1b');
    expect(calls()).toEqual([]);
  });

  it('refuses an environment that wrangler.toml does not have', async () => {
    const { failed, printed } = await deploy(['--env', 'stagging']);
    expect(printed).toContain('no [env.stagging], only: staging, production');
    expect(failed).toBe(true);
  });
});

describe('The environments of wrangler.toml', () => {
  it('each have the bindings of the top, with ids of their own', async () => {
    const { experimental_readRawConfig } = await import('wrangler');
    const { rawConfig } = experimental_readRawConfig({ config: 'wrangler.toml' });
    const bindingsOf = ({
      d1_databases,
      kv_namespaces,
      durable_objects,
      version_metadata,
    }: typeof rawConfig) => [
      d1_databases?.[0]?.binding,
      kv_namespaces?.[0]?.binding,
      durable_objects,
      version_metadata,
    ];
    const environments = Object.values(rawConfig.env ?? {});
    expect(environments.length).toBeGreaterThan(1);
    for (const environment of environments) expect(bindingsOf(environment)).toEqual(bindingsOf(rawConfig));
  });
});
