import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundleParking } from '../../clients/parking.ts';
import { PROJECT_ROOT } from '../../local/wrangler.ts';
import { type StandIn, startStandIn } from '../stand-in.ts';
import { callOf, wranglerCommand } from './commands.ts';

export const WORKER = 'parking-entitlements-staging';

/** A command's output, and its exit. */
export interface Said {
  readonly code: number;
  readonly text: string;
}

/** Folders that no deployment reads. It reads `docs`: some pages are served. */
const LEFT_OUT = /^(test|\.ci|\.github)\//;

/**
 * A copy of this checkout, where scenes change files and commit, and a platform to deploy it to.
 */
export class Stage {
  readonly platform: StandIn;
  /** The commands so far, in the words of the operator's pages. */
  readonly played = new Set<string>();
  readonly #folder: string;
  readonly #variables: Record<string, string>;

  private constructor(folder: string, platform: StandIn, variables: Record<string, string>) {
    this.#folder = folder;
    this.platform = platform;
    this.#variables = variables;
  }

  static async set(): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
    const project = join(folder, 'project');
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: PROJECT_ROOT,
      encoding: 'utf8',
    });
    for (const file of files.split('\n').filter((name) => name !== '' && !LEFT_OUT.test(name))) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      cpSync(join(PROJECT_ROOT, file), join(project, file), { force: true });
    }
    symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(project, 'node_modules'));
    const platform = await startStandIn(join(folder, 'state'), WORKER);
    const stage = new Stage(folder, platform, { DEPLOY_STAGING_ADDRESS: platform.address });
    stage.#git('init', '-q');
    stage.commit('begin');
    return stage;
  }

  /** Sets a variable for the commands that follow. */
  give(name: string, value: string): void {
    this.#variables[name] = value;
  }

  /** Runs a script of this project, as npm does. */
  run = (script: string, ...args: readonly string[]): Promise<Said> => {
    this.played.add(`npm run ${script.replace(/^.*\/(.*)\.ts$/, '$1')}`);
    return this.#run([join(this.#project, 'tools', script), ...args]);
  };

  /** Runs the project's own Wrangler. */
  wrangler = (...args: readonly string[]): Promise<Said> => this.wranglerReading('', ...args);

  /** The same, with something on its standard input. */
  wranglerReading = (input: string, ...args: readonly string[]): Promise<Said> => {
    this.played.add(wranglerCommand(args));
    return this.#run([join(PROJECT_ROOT, 'node_modules/wrangler/bin/wrangler.js'), ...args], {}, input);
  };

  /** Runs the office's command with a token. */
  parking = (token: string, ...args: readonly string[]): Promise<Said> => {
    const folder = join(this.#project, 'clients/parking');
    if (!existsSync(join(folder, 'dist'))) bundleParking(folder);
    this.played.add(`parking ${args.slice(0, /^(?:config|import)$/.test(args[0] ?? '') ? 2 : 1).join(' ')}`);
    const variables = { PARKING_URL: this.platform.address, PARKING_TOKEN: token };
    return this.#run([join(folder, 'bin/parking.js'), ...args], variables);
  };

  /** Calls the service as its administrator does. */
  async call(token: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    this.played.add(callOf(method, path));
    const response = await fetch(this.platform.address + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }

  /** A file next to the copy, in no commit. */
  file(name: string, text?: string): string {
    const path = join(this.#folder, name);
    if (text !== undefined) writeFileSync(path, text);
    return path;
  }

  /** Replaces text in a file of the copy. */
  edit(file: string, from: string | RegExp, to: string): void {
    const path = join(this.#project, file);
    const text = readFileSync(path, 'utf8');
    const edited = text.replace(from, () => to);
    if (edited === text) throw new Error(`${file} has nothing like ${from}`);
    writeFileSync(path, edited);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#project, file), text);
  }

  remove(file: string): void {
    rmSync(join(this.#project, file));
  }

  /** @returns the commit's short hash */
  commit(message: string): string {
    this.#git('add', '-A');
    this.#git(
      '-c',
      'user.name=Rehearsal',
      '-c',
      'user.email=rehearsal@example.org',
      'commit',
      '-qm',
      message,
    );
    return this.#git('rev-parse', '--short=12', 'HEAD');
  }

  /** The version that has the calls. */
  get serving(): string {
    const [newest] = this.platform.account.script(WORKER).deployments;
    return newest?.versions.find(({ percentage }) => percentage === 100)?.version_id ?? '';
  }

  async end(): Promise<void> {
    await this.platform.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #project(): string {
    return join(this.#folder, 'project');
  }

  readonly #git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: this.#project, encoding: 'utf8' }).trim();

  #run(args: readonly string[], more: Record<string, string> = {}, input = ''): Promise<Said> {
    const env = {
      ...process.env,
      ...this.platform.variables,
      ...this.#variables,
      WRANGLER_SEND_METRICS: 'false',
      CI: '1',
      ...more,
    };
    return new Promise((resolve) => {
      const running = execFile(
        process.execPath,
        args,
        { cwd: this.#project, env },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : Number(error.code ?? 1);
          resolve({ code, text: `${stdout}${stderr}` });
        },
      );
      running.stdin?.end(input);
    });
  }
}
