import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { pack } from './pack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'clients/client');

/** Each entry of the package, and the file that it starts from. */
const ENTRIES = {
  index: 'index.ts',
  gate: 'gate/index.ts',
  'gate-node': 'node/index.ts',
};

/** Links to documents of the service's repository become their paths: the package has none of them. */
const withoutLinks = (text: string): string =>
  text.replace(/\[([^\]]*)\]\((?:\.\.\/)+([^)#\s]+)[^)]*\)/g, "$1 (`$2` in the service's repository)");

/**
 * Builds the client's package and packs it: ES modules that import nothing but Node's own (in the entry for Node),
 * declarations of the same files, the manifest and the README.
 *
 * @param into the folder to build in, by default `dist`
 * @returns the path of the tarball
 * @throws Error when something does not compile
 */
export function buildClient(into = join(root, 'dist')): string {
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
  writeFileSync(join(folder, 'README.md'), withoutLinks(readFileSync(join(source, 'README.md'), 'utf8')));
  return pack(folder, into);
}
