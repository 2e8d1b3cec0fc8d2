import { readFileSync } from 'node:fs';
import { Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { holdsSteering, withSteeringEscaped } from '../../src/base/text/text.ts';
import type { Issue } from '../client/index.ts';
import { EXIT, Stop, wrongUsage } from './stop.ts';

/** A position in a file, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A document in a file: YAML, or JSON, which YAML contains. */
export class DocumentFile {
  readonly name: string;
  /** What it says. */
  readonly value: unknown;
  readonly #document: Document;
  readonly #lines: LineCounter;

  /** @throws Stop with the line of each mistake, for a text that is neither YAML nor JSON */
  constructor(name: string, text: string) {
    this.name = name;
    this.#lines = new LineCounter();
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const { errors, warnings } = this.#document;
    const wrong = [...errors, ...warnings];
    if (wrong.length > 0) {
      const lines = wrong.map(({ pos: [at], message }) => this.#at(this.#lines.linePos(at), message));
      throw new Stop(EXIT.usage, `${name} cannot be read.`, { lines });
    }
    this.value = this.#document.toJS();
  }

  /** @throws Stop for a file that is not there or cannot be read */
  static read(name: string): DocumentFile {
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(name === '-' ? 0 : name));
    } catch {
      throw wrongUsage(`There is no file ${name} that can be read as UTF-8.`);
    }
    return new DocumentFile(name, text);
  }

  /** Issues with their lines, in the order of the file: `city.yaml:12:5: municipalities.0.name: is required`. */
  locate(issues: readonly Issue[]): string[] {
    return issues
      .map((issue) => ({ issue, position: this.positionOf(issue.path) }))
      .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
      .map(({ issue, position }) =>
        this.#at(
          { line: position.line, col: position.column },
          `${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`,
        ),
      );
  }

  /** The position of a property, or of the item that lacks it. */
  positionOf(path: string): Position {
    let node: Node | null = this.#document.contents;
    let offset = startOf(node);
    for (const name of path === '' ? [] : path.split('.')) {
      const step = stepInto(node, name);
      if (step === null) break;
      offset = step.offset;
      node = step.node;
    }
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #at({ line, col }: { line: number; col: number }, message: string): string {
    return `${this.name}:${line}:${col}: ${message}`;
  }
}

interface Step {
  readonly offset: number;
  readonly node: Node | null;
}

/**
 * Descends into a map by the name of a property, at whose name the position is, and into a list by the number
 * of an item.
 */
function stepInto(node: Node | null, name: string): Step | null {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(name)];
    return isNode(item) ? { offset: startOf(item), node: item } : null;
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  if (pair === undefined || !isNode(pair.key)) return null;
  return { offset: startOf(pair.key), node: isNode(pair.value) ? pair.value : null };
}

const startOf = (node: Node | null): number => node?.range?.[0] ?? 0;

/** YAML as people edit it: no folded lines, and no text that steers the terminal. */
export function yamlText(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, scalar) {
      // Only in double quotes may a character be written as its number.
      if (typeof scalar.value === 'string' && holdsSteering(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  const oneLine = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };
  return withSteeringEscaped(document.toString(oneLine)).trimEnd();
}
