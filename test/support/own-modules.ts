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

/** A library, or the runtime's own: evaluating it again takes longer than most files. */
const LIBRARY = /\/node_modules\/|cloudflare:test/;
const SERVICE = new URL('../../src/', import.meta.url).pathname;
/** Holds answers to the description, and what it keeps of that is the same whenever it is made. */
const CONTRACT = new URL('contract.ts', import.meta.url).pathname;
/** What the service keeps is so too, but this remembers answers. */
export const REMEMBERING = ['src/serving/http/versions.ts'];

/**
 * Has whatever could know of the file before evaluated again when it is next imported: the tests' modules, those that
 * remember, and what imports one of them.
 */
export function resetModules(): void {
  resetAll(
    (path) =>
      path === CONTRACT ||
      (path.startsWith(SERVICE) && !REMEMBERING.some((name) => path.endsWith(`/${name}`))),
  );
}

function resetAll(mayStay: (path: string) => boolean): void {
  const modules = globalThis.__vitest_worker__.evaluatedModules.idToModuleMap;
  const reset = (path: string): void => {
    const module = modules.get(path);
    if (module === undefined) return;
    const importers = [...module.importers];
    module.promise = undefined;
    module.exports = undefined;
    module.evaluated = false;
    module.importers.clear();
    importers.forEach(reset);
  };
  for (const path of modules.keys()) {
    if (!LIBRARY.test(path) && !mayStay(path)) reset(path);
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
