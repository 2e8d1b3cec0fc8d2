import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What has been built. */
export interface BuiltPackage {
  readonly folder: string;
  /** Its path. */
  readonly tarball: string;
  readonly kib: number;
}

/** Packs a folder as `npm publish` would. */
export function pack(folder: string, into: string): { tarball: string; kib: number } {
  const { name, version }: { name: string; version: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  execFileSync('npm', ['pack', '--silent', '--pack-destination', into], { cwd: folder, stdio: 'ignore' });
  const tarball = join(into, `${name}-${version}.tgz`);
  return { tarball, kib: Math.ceil(statSync(tarball).size / 1_024) };
}
