import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file of a folder that is built. */
interface BuiltText {
  /** Its path in the folder. */
  readonly name: string;
  readonly text: string;
}

/**
 * Makes a folder hold exactly these files. Unchanged files are not touched, and each file is written in one
 * step: another process may run from the folder, or build it at the same time.
 *
 * @param files the first is written last: it names the others
 */
export function writeFiles(folder: string, files: readonly BuiltText[]): void {
  for (const { name, text } of files.toReversed()) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    // Next to the folder: in the folder, a concurrent build would delete it.
    const draft = `${folder}-${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, path);
  }
  const ours = new Set(files.map(({ name }) => join(folder, name)));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !ours.has(path)) rmSync(path, { force: true });
  }
}
