import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite, Vitest } from 'vitest/node';
import { commandAlone, type OneTest, type RunForm } from './alone.ts';

/** A pipe gets a line for each tenth of the files. */
const LINES_IN_A_PIPE = 10;
const SLOWEST = 10;

const IS_TTY = process.stdout.isTTY && !process.env.CI;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Few words for many tests: how far the run is and which file was the slowest so far, what failed in full with the
 * command that runs it alone, and at the end how much was run, and from which seed.
 */
export default class FewWords implements Reporter {
  #ctx!: Vitest;
  #start = 0;
  #files = 0;
  #done = 0;
  #slowest = { file: '', seconds: 0 };

  onInit(vitest: Vitest): void {
    this.#ctx = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#start = performance.now();
    this.#files = specifications.length;
    this.#done = 0;
    this.#slowest = { file: '', seconds: 0 };
  }

  onTestModuleEnd(module: TestModule): void {
    this.#done++;
    const seconds = secondsOf(module);
    if (seconds >= this.#slowest.seconds) this.#slowest = { file: module.relativeModuleId, seconds };
    this.#showProgress();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    if (IS_TTY) this.#write('\r\x1b[K');
    if (modules.length === 0 && unhandledErrors.length === 0) {
      this.#ctx.logger.printNoTestFound();
    }
    for (const module of modules) this.#printFailures(module);
    if (unhandledErrors.length > 0) this.#ctx.logger.printUnhandledErrors(unhandledErrors);
    if (this.#form.thorough || process.env.SLOWEST_FILES === '1') this.#printSlowest(modules);
    this.#printEnd(modules, unhandledErrors.length);
  }

  #showProgress(): void {
    const { file, seconds } = this.#slowest;
    const elapsed = Math.round((performance.now() - this.#start) / 1000);
    const line = `${this.#done} of ${this.#files} files in ${elapsed} s, the slowest ${file} ${seconds.toFixed(1)} s`;
    if (IS_TTY) {
      this.#write(`\r\x1b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
    } else if (isNextTenth(this.#done, this.#files)) {
      this.#ctx.logger.log(line);
    }
  }

  /** What failed in a file: the file itself, what runs around its tests, and its tests. */
  #printFailures(module: TestModule): void {
    const file = module.relativeModuleId;
    const of = { project: module.project.name, file };
    this.#printFailure(module, file, module.errors(), of);
    for (const suite of module.children.allSuites()) {
      this.#printFailure(suite, `${file} > ${suite.fullName}`, suite.errors(), of);
    }
    for (const test of module.children.allTests()) {
      const name = test.fullName;
      this.#printFailure(test, `${file} > ${name}`, test.result().errors ?? [], { ...of, name });
    }
  }

  #printFailure(
    failed: TestModule | TestSuite | TestCase,
    title: string,
    errors: readonly unknown[],
    alone: OneTest,
  ): void {
    if (errors.length === 0) return;
    this.#ctx.logger.error(`\nFAILED ${title}`);
    for (const error of errors) this.#ctx.logger.printError(error, { project: failed.project });
    this.#ctx.logger.error(`Run it alone: ${commandAlone(alone, this.#form)}`);
  }

  #printSlowest(modules: readonly TestModule[]): void {
    this.#ctx.logger.log('\nThe slowest files:');
    for (const module of modules.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SLOWEST)) {
      this.#ctx.logger.log(`${secondsOf(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}`);
    }
  }

  /** Two lines: the second has the counts alone, for whoever reads the output by machine. */
  #printEnd(modules: readonly TestModule[], unhandledErrors: number): void {
    const counts = countsOf(modules);
    const { passed, failed, skipped } = { ...counts, failed: counts.failed + unhandledErrors };
    const { seed, thorough } = this.#form;
    const seconds = Math.round((performance.now() - this.#start) / 1000);
    const tests = passed + failed + skipped;
    this.#ctx.logger.log(
      `\n${tests} tests in ${modules.length} files, ${seconds} s, seed ${seed}${thorough ? ', thorough' : ''}`,
    );
    this.#ctx.logger.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  }

  get #form(): RunForm {
    const { root, provide } = this.#ctx.config;
    return {
      config: relative(root, this.#ctx.vite.config.configFile || root),
      seed: provide.seed ?? 0,
      thorough: provide.thorough ?? false,
      env: process.env,
    };
  }

  #write(text: string): void {
    this.#ctx.logger.outputStream.write(text);
  }
}

/** How long a file took: its start, its import and its tests. */
function secondsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000;
}

/** Whether with this file another tenth of them is done. */
function isNextTenth(done: number, files: number): boolean {
  const tenths = (count: number) => Math.floor((count * LINES_IN_A_PIPE) / files);
  return tenths(done) > tenths(done - 1);
}

function countsOf(modules: readonly TestModule[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === 'pending' ? 'skipped' : state] += 1;
    }
  }
  return counts;
}
