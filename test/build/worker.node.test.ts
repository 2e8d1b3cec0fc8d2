import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtService, kibOf, root } from '../bench/bundle.ts';

/** What is loaded when it is needed: the folders and files that no start may hold. */
const LAZY = /^src\/(field|intake|office|upkeep|storage\/history|public\/pages|crons\.ts)\b/;

const { modules, atStart } = builtService();

describe('The modules of the Worker', () => {
  // In steps of what a change may add unnoticed: a change that adds more says in docs/performance.md why.
  it.each([
    ['that an isolate starts with', 133, atStart],
    ['all together', 250, modules],
  ])('%s weigh at most %i KiB, each compressed', (_, most, some) => {
    expect(kibOf(some)).toBeLessThanOrEqual(most);
  });

  it('that an isolate starts with hold nothing of what is loaded when it is needed', () => {
    const started = atStart.flatMap(({ inputs }) => inputs);
    expect(started).toContain('src/core/plate-check/contract.ts');
    expect(started.filter((file) => LAZY.test(file))).toEqual([]);
    const all = modules.flatMap(({ inputs }) => inputs);
    expect(all.filter((file) => LAZY.test(file))).not.toEqual([]);
  });

  it('have a source map each', () => {
    for (const { name, text } of modules) {
      expect(text).toContain(`//# sourceMappingURL=${name}.map`);
      expect(existsSync(`${root}.wrangler/built/${name}.map`)).toBe(true);
    }
  });
});
