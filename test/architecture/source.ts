import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The TypeScript files below a folder, as paths from the project's root. */
export function filesBelow(folder: string): string[] {
  const paths = globSync(`${folder}/**/*.ts`, { exclude: (path) => /node_modules/.test(String(path)) });
  return atLeastOne(
    paths.map((path) => path.replaceAll('\\', '/')),
    `no file below ${folder}`,
  );
}

/**
 * A rule about no file at all would hold whatever the files do.
 *
 * @throws Error for an empty list
 */
export function atLeastOne<T>(list: readonly T[], message: string): T[] {
  if (list.length === 0) {
    throw new Error(message);
  }
  return [...list];
}

export const source = (path: string): string => readFileSync(path, 'utf8');

export const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** What a file imports, values and types: paths of ours from the project's root, names of packages as they are. */
export function importsOf(path: string): string[] {
  const specifiers = [...source(path).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  );
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
  );
}
