/** What vitest remembers of a module that a file has imported. */
interface ImportedModule {
  promise: unknown;
  exports: unknown;
  evaluated: boolean;
  readonly importers: Set<string>;
}

type Fetch = (
  name: string,
  data: readonly [url: string, importer: string, how?: { cached: boolean }],
) => unknown;

interface Mocker {
  resolveMocks(): Promise<void>;
  getDependencyMockByUrl(url: string): object | undefined;
}

declare global {
  // vitest's own: it has no public way to reset some modules, or to see that it has one already.
  var __vitest_worker__: {
    readonly evaluatedModules: { readonly idToModuleMap: ReadonlyMap<string, ImportedModule> };
  };
  var __vitest_mocker__: {
    readonly moduleRunner: { readonly transport: { invoke: Fetch }; readonly mocker: Mocker };
  };
}

/** What keeps nothing between calls: evaluating it again takes longer than most files. */
const KEPT = /\/node_modules\/|cloudflare:test/;

/** Has the project's own modules evaluated again when they are next imported, and no library. */
export function resetOwnModules(): void {
  for (const [path, module] of globalThis.__vitest_worker__.evaluatedModules.idToModuleMap) {
    if (KEPT.test(path)) continue;
    module.promise = undefined;
    module.exports = undefined;
    module.evaluated = false;
    module.importers.clear();
  }
}

/** The runtime asks through an object of its own, several hundred times a file, for modules that it has: say so at once. */
export function answerForKnownModules(): void {
  const { transport, mocker } = globalThis.__vitest_mocker__.moduleRunner;
  if (transport.invoke.name === 'answerIfKnown') return;
  const { invoke } = transport;
  transport.invoke = async function answerIfKnown(name, data) {
    const [url, , how] = data;
    if (name !== 'fetchModule' || !how?.cached || url.includes('_vitest_original')) return invoke(name, data);
    await mocker.resolveMocks();
    return mocker.getDependencyMockByUrl(url) === undefined ? { cache: true } : invoke(name, data);
  };
}
