import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Packs a folder as `npm publish` would.
 *
 * @returns the path of the tarball
 */
export function pack(folder: string, into: string): string {
  const { name, version }: { name: string; version: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  execFileSync('npm', ['pack', '--silent', '--pack-destination', into], { cwd: folder, stdio: 'ignore' });
  return join(into, `${name}-${version}.tgz`);
}
