import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { PROJECT_ROOT, QUIET, remoteSecretNames, saidBy, saysNoWorker, WRANGLER } from '../local/wrangler.ts';
import type { Environment } from './environment.ts';
import { type Release, releaseOf } from './release.ts';

/** What has the calls. */
export type Deployed =
  /** There is no such Worker. */
  | { readonly is: 'absent' }
  /** One version has all the calls. */
  | { readonly is: 'running'; readonly version: string; readonly release: Release | null }
  /** Several versions share them. */
  | { readonly is: 'shared' };

const MAX_OUTPUT = 64 * 1024 * 1024;

const deployments = z.array(
  z.object({
    created_on: z.string(),
    versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
  }),
);
const version = z.object({
  id: z.string(),
  annotations: z.object({ 'workers/message': z.string().optional() }).optional(),
});
const results = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

/** A deployment: which versions share the calls, in percent. */
export type Deployment = z.infer<typeof deployments>[number];

/** The platform, as Wrangler speaks to it, for one environment. */
export class Platform {
  readonly #worker: string;
  readonly #config: string;

  constructor({ name, worker, config }: Environment) {
    this.#worker = worker;
    // Next to wrangler.toml, since its paths are relative.
    this.#config = join(PROJECT_ROOT, `.wrangler-deploy-${name}-${process.pid}.json`);
    writeFileSync(this.#config, JSON.stringify(config));
    process.on('exit', () => rmSync(this.#config, { force: true }));
  }

  /** The deployments, the newest first; null without such a Worker. */
  async deployments(): Promise<readonly Deployment[] | null> {
    try {
      const listed = deployments.parse(JSON.parse(await this.#run(['deployments', 'list', '--json'])));
      return listed.sort((a, b) => b.created_on.localeCompare(a.created_on));
    } catch (error) {
      if (error instanceof Error && saysNoWorker(error.message)) return null;
      throw error;
    }
  }

  /** What has the calls now. */
  async deployed(): Promise<Deployed> {
    const [newest] = (await this.deployments()) ?? [];
    if (newest === undefined) return { is: 'absent' };
    const alone = newest.versions.find(({ percentage }) => percentage === 100);
    if (alone === undefined) return { is: 'shared' };
    const release = releaseOf(await this.messageOf(alone.version_id));
    return { is: 'running', version: alone.version_id, release };
  }

  /** The message that a version was uploaded with. */
  async messageOf(id: string): Promise<string | undefined> {
    const found = version.parse(JSON.parse(await this.#run(['versions', 'view', id, '--json'])));
    return found.annotations?.['workers/message'];
  }

  secretNames = (): Promise<readonly string[]> => remoteSecretNames(this.#worker);

  /** The rows of a statement. */
  async query(database: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const said = await this.#run(['d1', 'execute', database, '--remote', '--json', '--command', sql]);
    return results.parse(JSON.parse(said)).flatMap((result) => result.results);
  }

  /** Applies all migrations that are pending. */
  migrate = (database: string) => this.#run(['d1', 'migrations', 'apply', database, '--remote']);

  /** @returns the new version's id */
  upload = (tag: string, message: string): Promise<string> =>
    this.#versionMade(['versions', 'upload', '--tag', tag, '--message', message]);

  /** Uploads a version and gives it all calls; objects are migrated, crons and routes set. */
  replace = (tag: string, message: string): Promise<string> =>
    this.#versionMade(['deploy', '--tag', tag, '--message', message]);

  /** Shares the calls out, by version in percent. */
  share(shares: Readonly<Record<string, number>>, message: string): Promise<string> {
    const specs = Object.entries(shares).map(([id, percent]) => `${id}@${percent}`);
    return this.#run(['versions', 'deploy', ...specs, '--yes', '--message', message]);
  }

  setTriggers = () => this.#run(['triggers', 'deploy']);

  async #versionMade(args: readonly string[]): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
    const output = join(folder, 'output.ndjson');
    try {
      await this.#run(args, { WRANGLER_OUTPUT_FILE_PATH: output });
      for (const line of readFileSync(output, 'utf8').split('\n')) {
        const id = line === '' ? undefined : JSON.parse(line).version_id;
        if (typeof id === 'string') return id;
      }
      throw new Error('Wrangler did not say which version it made.');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** With the whole environment: the account's token may be in it. */
  async #run(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<string> {
    const all = [WRANGLER, ...args, '--config', this.#config];
    try {
      const { stdout } = await promisify(execFile)(process.execPath, all, {
        cwd: PROJECT_ROOT,
        env: { ...process.env, ...QUIET, ...variables },
        maxBuffer: MAX_OUTPUT,
      });
      return stdout;
    } catch (error) {
      throw new Error(`wrangler ${args.join(' ')} failed for ${this.#worker}:\n${saidBy(error).trim()}`);
    }
  }
}
