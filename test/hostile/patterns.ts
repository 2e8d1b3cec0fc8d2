import { globSync } from 'node:fs';
import { parseAst } from 'vitest/node';
import { source } from '../architecture/source.ts';

/** A regular expression in a file. */
export interface Pattern {
  readonly path: string;
  /** As it is written: a literal, or the arguments of `RegExp`. */
  readonly written: string;
}

/** All regular expressions of what is deployed and of the clients, each once a file. */
export function patternsInSource(): Pattern[] {
  const paths = globSync('{src,clients}/**/*.{ts,js}', {
    exclude: (path) => /node_modules|\/dist$|\/types$/.test(String(path)),
  });
  return paths.sort().flatMap((path) => {
    const text = source(path);
    const written = new Set(writtenIn(parseAst(text, { lang: path.endsWith('.ts') ? 'ts' : 'js' }), text));
    return [...written].map((pattern) => ({ path, written: pattern }));
  });
}

function writtenIn(node: unknown, text: string): string[] {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  const within = Object.values(node).flatMap((child) => writtenIn(child, text));
  const own = patternOf(node, text);
  return own === null ? within : [own, ...within];
}

/** The fields of a syntax tree's nodes that tell of a regular expression. */
interface Node {
  readonly type?: unknown;
  readonly regex?: unknown;
  readonly raw?: unknown;
  readonly callee?: { readonly name?: unknown };
  readonly arguments?: readonly { readonly start: number; readonly end: number }[];
}

function patternOf(node: Node, text: string): string | null {
  if (node.type === 'Literal' && node.regex !== undefined) {
    return String(node.raw);
  }
  const isMade = node.type === 'NewExpression' || node.type === 'CallExpression';
  if (!isMade || node.callee?.name !== 'RegExp') {
    return null;
  }
  return `RegExp(${(node.arguments ?? []).map(({ start, end }) => text.slice(start, end)).join(', ')})`;
}
