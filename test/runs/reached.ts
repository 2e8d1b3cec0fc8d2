/** What a change can reach: everything, for a reason, or files by the module graph and these folders as a whole. */
export type Reached =
  | { readonly everything: string }
  | { readonly everything: null; readonly folders: readonly string[] };

/** What every test rests on, or what no import leads to. Their SQL files are those of `test/architecture`. */
const REACHES_ALL: readonly [RegExp, string][] = [
  [/\.sql$|^migrations\/|^src\/storage\/db\/|-(table|statements?|parts|sql)\.ts$|\/facts\.ts$/, 'SQL'],
  [/^wrangler\.toml$/, 'what the Worker runs with'],
  [/^(package|package-lock)\.json$|^\.npmrc$|^\.nvmrc$/, 'the packages'],
  [/^test\/(vitest\.config|rules)\.ts$|^test\/support\//, 'what all tests share'],
];

/**
 * Tests in Node start processes and read files, which no import tells: whatever changes in one of these places reaches all
 * of these folders.
 */
const REACHES_FOLDERS: readonly [RegExp, readonly string[]][] = [
  [
    /^src\//,
    ['build', 'client', 'entitlement-list', 'gate', 'hostile', 'imports', 'local', 'openapi', 'parking'],
  ],
  [/^clients\/client\//, ['client', 'gate', 'parking']],
  [/^clients\/parking\//, ['openapi', 'parking']],
  [/^clients\/widget\//, ['widget']],
  [/^clients\/types\//, ['client', 'parking']],
  [/^tools\/build\//, ['build', 'local']],
  [/^tools\/clients\//, ['client', 'parking']],
  [/^tools\/description\//, ['client', 'openapi']],
  [/^tools\/deploy\//, ['deploy']],
  [/^tools\/gate\//, ['gate']],
  [/^tools\/local\//, ['local', 'openapi', 'parking']],
  [/^tools\/widget\//, ['widget']],
  [/^docs\/parking-session\.md$/, ['parking']],
];

/**
 * What a change of these files can reach. The module graph, which vitest knows, is left to it.
 *
 * @param changed paths from the project's root
 */
export function reachedBy(changed: readonly string[]): Reached {
  for (const [files, what] of REACHES_ALL) {
    const first = changed.find((path) => files.test(path));
    if (first !== undefined) return { everything: `${first} has changed: ${what}` };
  }
  // Walls and documents are about every file, and take seconds.
  return {
    everything: null,
    folders: [...new Set(['architecture', ...changed.flatMap(foldersOf)])]
      .sort()
      .map((name) => `test/${name}`),
  };
}

function foldersOf(path: string): readonly string[] {
  const [, own] = /^test\/([\w-]+)\//.exec(path) ?? [];
  const others = REACHES_FOLDERS.flatMap(([files, names]) => (files.test(path) ? names : []));
  return own === undefined ? others : [own, ...others];
}
