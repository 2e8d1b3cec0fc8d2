import { readFileSync } from 'node:fs';
import { Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { holdsSteering, withSteeringEscaped } from '../../src/base/text/text.ts';
import type { Issue } from '../client/index.ts';
import { EXIT, Stop, wrongUsage } from './stop.ts';

const VERSION_LINE = /^# version: (\S+)$/m;

/** A comment of the document that {@link DocumentFile.version} reads. */
export const versionLine = (version: string): string => `# version: ${version}`;

/** A document in a file: YAML, or JSON, which YAML contains. */
export class DocumentFile {
  readonly name: string;
  /** What it says. */
  readonly value: unknown;
  /** The version of the configuration that it was printed from. */
  readonly version: string | undefined;
  readonly #document: Document;
  readonly #lines = new LineCounter();

  /** @throws Stop for a file that cannot be read, or is neither YAML nor JSON: with the line of each mistake */
  constructor(name: string) {
    this.name = name;
    const text = textIn(name);
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    this.version = VERSION_LINE.exec(text)?.[1];
    const { errors, warnings } = this.#document;
    const wrong = [...errors, ...warnings].map(({ pos: [at], message }) => this.#at(at, message));
    if (wrong.length > 0) throw new Stop(EXIT.usage, `${name} cannot be read.`, { lines: wrong });
    this.value = this.#document.toJS();
  }

  /** Issues with their lines, in the order of the file: `city.yaml:12:5: municipalities.0.name: is required`. */
  locate(issues: readonly Issue[]): string[] {
    return issues
      .map(({ path, message }) => ({
        at: this.#offsetOf(path),
        text: path === '' ? message : `${path}: ${message}`,
      }))
      .sort((a, b) => a.at - b.at)
      .map(({ at, text }) => this.#at(at, text));
  }

  /** Where a value begins, or the item that lacks it. */
  #offsetOf(path: string): number {
    const names =
      path === '' ? [] : path.split('.').map((name) => (/^\d+$/.test(name) ? Number(name) : name));
    for (let length = names.length; length > 0; length -= 1) {
      const node = this.#document.getIn(names.slice(0, length), true);
      if (isNode(node)) return node.range?.[0] ?? 0;
    }
    return this.#document.contents?.range?.[0] ?? 0;
  }

  #at(offset: number, message: string): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.name}:${Math.max(1, line)}:${Math.max(1, col)}: ${message}`;
  }
}

function textIn(name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(name === '-' ? 0 : name));
  } catch {
    throw wrongUsage(`There is no file ${name} that can be read as UTF-8.`);
  }
}

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
