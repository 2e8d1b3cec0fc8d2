import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const WORKFLOWS = globSync('.github/**/*.{yml,yaml}');
const usesOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^\s*(?:- )?uses: *(.+)$/gm)].map(([, used = '']) => used);

describe('A workflow', () => {
  it.each(WORKFLOWS)('%s pins each action by its commit, and says which version that is', (path) => {
    // A tag can be moved to any other code; a commit cannot.
    const loose = usesOf(path).filter(
      (used) => !/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used),
    );
    expect(loose).toEqual([]);
    expect(usesOf(path)).not.toEqual([]);
  });
});
