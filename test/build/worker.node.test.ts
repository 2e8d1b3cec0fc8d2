import { beforeAll, describe, expect, it } from 'vitest';
import { type BuiltWorker, buildWorker } from '../../tools/build/worker.ts';
import { kibOf } from '../bench/bundle.ts';

/** What is loaded when it is needed: the folders and files that no start may hold. */
const LAZY = /^src\/(field|intake|office|upkeep|storage\/history|public\/pages|crons\.ts)\b/;

let built: BuiltWorker;

beforeAll(async () => {
  built = await buildWorker();
});

describe('The modules of the Worker', () => {
  // In steps of what a change may add unnoticed: whoever adds more says in docs/performance.md why.
  it.each([
    ['that an isolate starts with', 102, () => built.atStart],
    ['all together', 271, () => built.modules],
  ])('%s weigh at most %i KiB, each compressed', (_, most, modules) => {
    expect(kibOf(modules())).toBeLessThanOrEqual(most);
  });

  it('that an isolate starts with hold nothing of what is loaded when it is needed', () => {
    const started = built.atStart.flatMap(({ inputs }) => inputs);
    expect(started).toContain('src/core/plate-check/operation.ts');
    expect(started.filter((file) => LAZY.test(file))).toEqual([]);
    expect(built.inputs.filter((file) => LAZY.test(file))).not.toEqual([]);
  });

  it('are at the start the first one and one that has all', () => {
    expect(built.atStart.map(({ name }) => name)[0]).toBe('worker.mjs');
    expect(built.atStart.length).toBe(2);
  });

  it('know no Temporal but the polyfill’s', () => {
    const texts = built.modules.map(({ text }) => text);
    expect(texts.filter((text) => text.includes('globalThis.Temporal'))).toEqual([]);
    expect(built.inputs.some((path) => path.includes('temporal-polyfill/chunks/funcApi-shim'))).toBe(true);
  });

  it('have a source map each, which leads to the sources', () => {
    expect(built.sourceMaps.map(({ name }) => name).sort()).toEqual(
      built.modules.map(({ name }) => `${name}.map`).sort(),
    );
    for (const { name, text } of built.modules) expect(text).toContain(`//# sourceMappingURL=${name}.map`);
    expect(built.sourceMaps.some(({ text }) => text.includes('src/core/plate-check/operation.ts'))).toBe(
      true,
    );
  });
});
