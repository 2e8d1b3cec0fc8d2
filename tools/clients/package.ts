import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { type BuiltPackage, pack } from './pack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'clients/client');

/** Each entry of the package, and the file that it starts from. */
const ENTRIES = {
  index: 'index.ts',
  gate: 'gate/index.ts',
  'gate-node': 'node/index.ts',
};

/** The pages of the package, each with its source. */
const PAGES: Readonly<Record<string, string>> = {
  'README.md': 'clients/client/README.md',
  ...Object.fromEntries(
    ['docs/gate.md', 'docs/patrol.md', 'docs/interface/entitlement-list.md'].map((page) => [page, page]),
  ),
};

/** Links lead to pages of the package. Other pages are named by their path in the service's repository. */
function withLinksWithin(text: string, file: string, from: string): string {
  return text.replace(
    /(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g,
    (_, image, words, target, anchor = '') => {
      const wanted = join(dirname(from), target);
      const [page] = Object.entries(PAGES).find(([, origin]) => origin === wanted) ?? [];
      if (page !== undefined) return `[${words}](${relative(dirname(file), page)}${anchor})`;
      return image === '!' ? '' : `${words} (\`${wanted}\` in the service's repository)`;
    },
  );
}

/**
 * Builds the client's package and packs it: ES modules that import nothing but Node's own (in the entry for Node),
 * declarations of the same files, the manifest, the README and the pages that it links to.
 *
 * @param into the folder to build in, by default `dist`
 * @throws Error when something does not compile
 */
export function buildClient(into = join(root, 'dist')): BuiltPackage {
  const folder = join(into, 'parking-client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  buildSync({
    entryPoints: Object.fromEntries(
      Object.entries(ENTRIES).map(([name, file]) => [name, join(source, file)]),
    ),
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[hash]',
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    target: 'es2022',
  });
  const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
  execFileSync(
    process.execPath,
    [tsc, '-p', join(source, 'tsconfig.declarations.json'), '--outDir', join(folder, 'types')],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  copyFileSync(join(source, 'package.json'), join(folder, 'package.json'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const [file, from] of Object.entries(PAGES)) {
    const to = join(folder, file);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, withLinksWithin(readFileSync(join(root, from), 'utf8'), file, from));
  }
  return { folder, ...pack(folder, into) };
}
