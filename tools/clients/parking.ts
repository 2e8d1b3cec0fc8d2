import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';
import { writeFiles } from '../build/write-files.ts';
import { type BuiltPackage, pack } from './pack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'clients/parking');

/** Some of what is bundled asks for Node's own modules in the old way. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles the command: one file for what every command needs, and parts that are loaded when they are. What it uses is
 * in it, so that it is installed without asking a registry.
 *
 * @param folder gets `dist/` and the licences of what was bundled
 * @throws Error when something cannot be bundled
 */
export function bundleParking(folder = source): void {
  const dist = join(folder, 'dist');
  const { version }: { version: string } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { metafile, outputFiles } = buildSync({
    entryPoints: [join(source, 'main.ts')],
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.12',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: REQUIRE },
    define: { PARKING_VERSION: JSON.stringify(version) },
    metafile: true,
    write: false,
  });
  const built = outputFiles.map(({ path, text }) => ({ name: relative(dist, path), text }));
  const isMain = ({ name }: { readonly name: string }) => name === 'main.js';
  writeFiles(dist, [
    ...built.toSorted((a, b) => Number(isMain(b)) - Number(isMain(a))),
    { name: 'LICENSES.txt', text: licencesOf(metafile) },
  ]);
}

/** Builds the package and packs it. */
export function buildParking(into = join(root, 'dist')): BuiltPackage {
  const folder = join(into, 'parking');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  bundleParking(folder);
  cpSync(join(source, 'bin'), join(folder, 'bin'), { recursive: true });
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), manifest());
  return { folder, ...pack(folder, into) };
}

/** Nothing else has to be installed: what it uses is in the bundle. */
function manifest(): string {
  const { devDependencies: _, ...published }: Record<string, unknown> = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  return `${JSON.stringify(published, null, 2)}\n`;
}

const LICENCE_FILES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'license.md'];

/** What the licences of bundled packages ask for: their text. */
function licencesOf({ inputs }: Metafile): string {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  return [...packages]
    .sort()
    .map((folder) => {
      const { name, version, license }: Record<string, string> = JSON.parse(
        readFileSync(join(root, folder, 'package.json'), 'utf8'),
      );
      const file = LICENCE_FILES.map((one) => join(root, folder, one)).find(existsSync);
      return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(file, 'utf8')}`;
    })
    .join('\n----\n\n');
}
