// Deploys an environment of wrangler.toml: npm run deploy -- [--env NAME] [--dry-run]
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';
import { readCommandLine } from './command-line.ts';
import { print, printFailure } from './print.ts';

const USAGE = `npm run deploy -- [--env NAME] [--dry-run]
  --env NAME   an environment of wrangler.toml (production)
  --dry-run    prints what it would do and what that needs; takes no login, and changes nothing

With CHECK_TOKEN and CHECK_PLATE among the variables, the smoke test also checks that plate.`;

/** The parts of an environment in wrangler.toml that deploying reads. */
interface Environment {
  readonly name: string;
  /** The Worker's name. */
  readonly worker: string;
  /** Where the Worker answers, without a slash at the end. */
  readonly address: string;
  /** What wrangler.toml still lacks. */
  readonly missing: readonly string[];
}

/** A version is reached some seconds after it was deployed; a location may take longer. */
const REACHED_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 10_000;
const EVERY_MS = 500;

/** No prompts, no colours. */
const QUIET = { CI: 'true', NO_COLOR: '1', WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false' };

/** Wrangler's words where no version has the calls, and where none can be uploaded next to the one that has. */
const NOTHING_SERVES = /code: 10007|has no deployments/;
const ONLY_STRAIGHT = /pending Durable Object migration/;

const SEARCH = '/api/v2/parking-entitlements/search';

try {
  const options = { env: { type: 'string', default: 'production' }, 'dry-run': { type: 'boolean' } } as const;
  const { values } = readCommandLine(USAGE, { options });
  const environment = await readEnvironment(values.env);
  if (values['dry-run']) explain(environment);
  else await deploy(environment);
} catch (error) {
  printFailure(error);
  process.exit(1);
}

async function readEnvironment(name: string): Promise<Environment> {
  // Imported lazily, since Wrangler takes a second.
  const { experimental_readRawConfig } = await import('wrangler');
  const { env = {} } = experimental_readRawConfig({ config: 'wrangler.toml' }).rawConfig;
  const written = env[name];
  if (written === undefined) {
    throw new Error(`wrangler.toml has no [env.${name}], only: ${Object.keys(env).join(', ')}\n\n${USAGE}`);
  }
  const worker = written.name ?? '';
  const address = String(written.vars?.ADDRESS ?? '').replace(/\/+$/, '');
  const missing = [
    [
      written.d1_databases?.[0]?.database_id,
      `database_id, which npx wrangler d1 create ${worker} --jurisdiction=eu prints`,
    ],
    [
      written.kv_namespaces?.[0]?.id,
      `id of SNAPSHOTS, which npx wrangler kv namespace create ${worker} --jurisdiction=eu prints`,
    ],
    [address, 'ADDRESS, where the Worker answers'],
  ]
    .filter(([value = '']) => /^[0-]*$/.test(value))
    .map(([, what]) => `- in [env.${name}] of wrangler.toml: ${what}`);
  return { name, worker, address, missing };
}

function explain({ name, worker, address, missing }: Environment): void {
  print(`To deploy ${worker} to ${name}:
1. apply the pending migrations (npx wrangler d1 migrations list DB --remote --env ${name} names them)
2. upload a version, at 0 % next to the one that has all calls
3. test it by itself at ${address || 'its ADDRESS'}
4. give it all calls, set crons and routes, and test again
A first deployment, and one that migrates the objects, gets all calls at once.

That needs:
- npx wrangler login; or CLOUDFLARE_API_TOKEN, which may edit Workers Scripts, D1 and Workers KV Storage
- the secrets TOKEN_KEY and DIGEST_KEY, and ADMIN_TOKEN: npx wrangler secret put NAME --env ${name}
${missing.join('\n')}
Where a database is created decides where it stays: read "Placement" in docs/operating.md first.`);
}

async function deploy(environment: Environment): Promise<void> {
  const { name, worker, address, missing } = environment;
  if (missing.length > 0) throw new Error(`Nothing was changed. Missing:\n${missing.join('\n')}`);
  const tag = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim();
  const before = await servingVersion(name);
  print(
    `${tag} to ${name}: ${worker} at ${address}, ${before === null ? 'for the first time' : `now ${before}`}`,
  );

  print('- Apply the pending migrations');
  print(await wrangler(['d1', 'migrations', 'apply', 'DB', '--remote', '--env', name]));

  print('- Upload a version');
  const upload = ['versions', 'upload', '--tag', tag, '--env', name];
  const next = before === null ? null : await nullIfSaid(ONLY_STRAIGHT, versionMadeBy(upload));
  if (next === null) {
    print('- It cannot stand next to another: deploy it for all calls');
    await smokeTest(address, await versionMadeBy(['deploy', '--tag', tag, '--env', name]));
  } else {
    print(`- Deploy ${next} at 0 % next to ${before}`);
    await wrangler(['versions', 'deploy', `${before}@100`, `${next}@0`, '--yes', '--env', name]);
    await smokeTest(address, next, { 'Cloudflare-Workers-Version-Overrides': `${worker}="${next}"` });
    print(`- Give it all calls. From here, the way back is: npx wrangler rollback ${before} --env ${name}`);
    await wrangler(['versions', 'deploy', `${next}@100`, '--yes', '--env', name]);
    print('- Set crons and routes');
    await wrangler(['triggers', 'deploy', '--env', name]);
    await smokeTest(address, next);
  }
  print(`${tag} serves ${name}.`);
}

/**
 * The version that has all calls; null before the first deployment.
 *
 * @throws Error when several versions share the calls
 */
async function servingVersion(name: string): Promise<string | null> {
  const said = await nullIfSaid(NOTHING_SERVES, wrangler(['deployments', 'status', '--json', '--env', name]));
  if (said === null) return null;
  const { versions }: { versions: { version_id: string; percentage: number }[] } = JSON.parse(said);
  const alone = versions.find(({ percentage }) => percentage === 100);
  if (alone !== undefined) return alone.version_id;
  throw new Error(`Several versions share the calls. First: npx wrangler versions deploy --env ${name}`);
}

async function nullIfSaid(words: RegExp, command: Promise<string>): Promise<string | null> {
  try {
    return await command;
  } catch (error) {
    if (words.test(String(error))) return null;
    throw error;
  }
}

async function versionMadeBy(args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  const output = join(folder, 'output.ndjson');
  try {
    await wrangler(args, { WRANGLER_OUTPUT_FILE_PATH: output });
    const [, version] = /"version_id":"([^"]+)"/.exec(readFileSync(output, 'utf8')) ?? [];
    if (version !== undefined) return version;
    throw new Error('Wrangler did not say which version it made.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until this version answers, and asks what a device and a monitor ask. */
async function smokeTest(
  address: string,
  version: string,
  headers: Record<string, string> = {},
): Promise<void> {
  print(`- Test ${version}`);
  const { CHECK_TOKEN: token, CHECK_PLATE: plate } = process.env;
  /** What is wrong with an answer; null if it is right. */
  const ask = async (path: string): Promise<string | null> => {
    const check = {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ plate }),
    };
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const answer = await fetch(address + path, { ...(path === SEARCH ? check : { headers }), signal });
    const text = await answer.text();
    const from = answer.headers.get('X-Service-Version');
    if (from !== version) return `was answered by version ${from}`;
    return answer.ok ? null : `answered ${answer.status}: ${text.slice(0, 500)}`;
  };
  const until = Date.now() + REACHED_WITHIN_MS;
  while ((await ask('/health').catch(String)) !== null && Date.now() < until) await wait(EVERY_MS);
  for (const path of ['/health', '/ready', '/api/v2/openapi.json', ...(token && plate ? [SEARCH] : [])]) {
    const wrong = await ask(path);
    if (wrong !== null) throw new Error(`Stopped: ${path} ${wrong}`);
    print(`  ${path}`);
  }
}

/** @throws Error with Wrangler's output */
async function wrangler(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...process.env, ...QUIET, ...variables };
  const { stdout } = await promisify(execFile)('wrangler', [...args], { env });
  return stripVTControlCharacters(stdout).trim();
}
