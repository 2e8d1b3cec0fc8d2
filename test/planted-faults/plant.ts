import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Fault } from './fault.ts';

/** What became of a run of tests. */
export interface Outcome {
  /** The tests that failed, as `file > name`. */
  readonly failed: readonly string[];
  readonly passed: number;
  /** What the run said, where it could not run the tests at all. */
  readonly broken: string | null;
}

/** Something that does not end is as good as a test that fails. */
const MAX_MS = 600_000;

/** A copy of the checkout, in which faults are planted: the checkout itself is never changed. */
export class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'planted-faults-'));

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { encoding: 'utf8' });
    const built = ['clients/parking/dist'];
    for (const path of [...listed.split('\0'), ...built].filter((one) => one !== '' && existsSync(one))) {
      mkdirSync(join(this.folder, dirname(path)), { recursive: true });
      cpSync(path, join(this.folder, path), { recursive: true });
    }
    linkModules('node_modules', join(this.folder, 'node_modules'));
  }

  /**
   * Plants a fault, and takes it away again when the work is done.
   *
   * @throws Error when its text does not stand in its file exactly once
   */
  async planted<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, fault.file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const found = text.split(fault.find).length - 1;
    if (found !== 1) {
      throw new Error(
        `its text stands in ${fault.file} ${found} times: correct the entry, the code has changed`,
      );
    }
    try {
      writeFileSync(
        path,
        text.replace(fault.find, () => fault.replacement),
      );
      return await work();
    } finally {
      writeFileSync(path, text);
    }
  }

  /** Runs tests of the copy, in workerd and in Node. */
  async test(paths: readonly string[], { stopAtFirst }: { readonly stopAtFirst: boolean }): Promise<Outcome> {
    const missing = paths.filter((path) => !existsSync(join(this.folder, path)));
    if (missing.length > 0) {
      return { failed: [], passed: 0, broken: `no such tests: ${missing.join(', ')}` };
    }
    const report = join(this.folder, '.wrangler', 'planted-faults.json');
    rmSync(report, { force: true });
    const { said, hasEnded } = await this.#vitest([
      'run',
      ...['--config', 'test/vitest.config.ts', '--project', 'workerd', '--project', 'node'],
      ...['--reporter', 'json', '--outputFile', report],
      ...(stopAtFirst ? ['--bail', '1'] : []),
      ...paths,
    ]);
    if (!hasEnded) {
      return { failed: [`no end within ${MAX_MS / 1000} s`], passed: 0, broken: null };
    }
    return existsSync(report)
      ? outcomeOf(JSON.parse(readFileSync(report, 'utf8')) as Report, this.folder)
      : { failed: [], passed: 0, broken: said.trim().slice(-2_000) };
  }

  #vitest(args: readonly string[]): Promise<{ said: string; hasEnded: boolean }> {
    return new Promise((done) => {
      const vitest = join('node_modules', 'vitest', 'vitest.mjs');
      const child = spawn(process.execPath, [vitest, ...args], {
        cwd: this.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        // A group of its own: a runtime in an endless loop would outlive the process that started it.
        detached: true,
      });
      const end = () => {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      };
      process.once('exit', end);
      let said = '';
      let hasEnded = true;
      const tooLong = setTimeout(() => {
        hasEnded = false;
        end();
      }, MAX_MS);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-10_000);
        });
      }
      child.once('close', () => {
        clearTimeout(tooLong);
        process.removeListener('exit', end);
        done({ said, hasEnded });
      });
    });
  }
}

/** Links to packages, and the project's own packages as links within the copy. */
function linkModules(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    const isOwn = lstatSync(join(from, name)).isSymbolicLink();
    symlinkSync(isOwn ? readlinkSync(join(from, name)) : resolve(from, name), join(to, name));
  }
}

/** What is read of vitest's report. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function outcomeOf({ testResults }: Report, folder: string): Outcome {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ status, fullName }) => ({
      status,
      title: `${name.slice(name.indexOf(folder) + folder.length + 1)} > ${fullName}`,
    })),
  );
  const failed = tests.filter(({ status }) => status === 'failed').map(({ title }) => title);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const unrun = testResults.find(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  const broken = unrun && failed.length === 0 ? unrun.message : null;
  return { failed, passed, broken: failed.length + passed === 0 ? (broken ?? 'no test ran') : broken };
}
