import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { pack } from './pack.ts';

const root = new URL('../..', import.meta.url).pathname;
const source = join(root, 'clients/parking');

/** Some bundled libraries `require` Node's own modules. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Bundles the command into one file. It contains its libraries, so that installing it asks no registry.
 *
 * @param folder gets `dist/` and the licences of the bundled libraries
 * @throws Error when the bundler fails
 */
export function bundleParking(folder = source): void {
  const dist = join(folder, 'dist');
  const { version }: { version: string } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { metafile, outputFiles } = buildSync({
    entryPoints: [join(source, 'main.ts')],
    absWorkingDir: root,
    bundle: true,
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
  mkdirSync(dist, { recursive: true });
  writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(metafile));
  // In one step: another process may start the command, or build it at the same time.
  const draft = `${dist}-${process.pid}`;
  writeFileSync(draft, outputFiles.map(({ text }) => text).join(''));
  renameSync(draft, join(dist, 'main.js'));
}

/** Builds the package, packs it, and returns the path of the tarball. */
export function buildParking(into = join(root, 'dist')): string {
  const folder = join(into, 'parking');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  bundleParking(folder);
  cpSync(join(source, 'bin'), join(folder, 'bin'), { recursive: true });
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), manifest());
  return pack(folder, into);
}

/** No dependencies: its libraries are in the bundle. */
function manifest(): string {
  const { devDependencies: _, ...published }: Record<string, unknown> = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  return `${JSON.stringify(published, null, 2)}\n`;
}

const LICENCE_FILES = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'license.md'];

/** The licences of bundled packages, which have to be included. */
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
