import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one line that has the seed, and one that has the counts alone, for continuous integration. */
export default class Counts implements Reporter {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
      }
    }
    console.log(
      `TEST_SEED=${this.#seed}\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    );
  }
}
