import { isObject, isWellFormed } from '../json.ts';

/**
 * Where lines come from. `lines`: each is a line, a text without its end or an object that becomes one. `bytes`:
 * newline-delimited JSON in UTF-8, cut anywhere: a file (`Blob`), a stream, or any iterable of chunks.
 */
export type LineSource =
  | { readonly lines: Iterable<string | object> | AsyncIterable<string | object> }
  | { readonly bytes: ByteSource };

type ByteSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Uint8Array | string;

/** A part of an import: whole lines. */
export interface Part {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The number of its first line in the whole source, from 1. */
  readonly firstLine: number;
  readonly lineCount: number;
}

interface PartLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
}

/** A line that no part can hold. */
export class LineTooLong extends Error {
  constructor(line: number, maxBytes: number) {
    super(`Line ${line} is longer than ${maxBytes} bytes.`);
  }
}

/** A text that UTF-8 cannot encode: another one would be stored instead. */
export class IllFormedLine extends Error {
  constructor(where: string) {
    super(`${where} is not well-formed Unicode.`);
  }
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const encoder = new TextEncoder();

/**
 * Cuts a source into parts, in order and at line ends. It holds one part at a time. A source without lines has no part.
 *
 * @throws LineTooLong, and errors of the source
 */
export async function* partsOf(source: LineSource, limits: PartLimits): AsyncGenerator<Part, void, void> {
  let lines: Uint8Array[] = [];
  let bytes = 0;
  let firstLine = 1;
  const take = (): Part => {
    const part = { body: joinBytes(lines, bytes), firstLine, lineCount: lines.length };
    firstLine += lines.length;
    lines = [];
    bytes = 0;
    return part;
  };
  for await (const line of linesOf(source)) {
    if (line.length > limits.maxBytes) throw new LineTooLong(firstLine + lines.length, limits.maxBytes);
    if (lines.length === limits.maxLines || bytes + line.length > limits.maxBytes) yield take();
    lines.push(line);
    bytes += line.length;
  }
  if (lines.length > 0) yield take();
}

/** Lines with their ends. Blank ones too: they are numbered. */
function linesOf(source: LineSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return 'lines' in source ? encodedLines(source.lines) : cutLines(chunksOf(source.bytes));
}

async function* encodedLines(
  lines: Iterable<string | object> | AsyncIterable<string | object>,
): AsyncGenerator<Uint8Array, void, void> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (!isWellFormed(line)) throw new IllFormedLine(`Line ${number}`);
    const text = typeof line === 'string' ? line.replace(/\r?\n$/, '') : JSON.stringify(line);
    if (text.includes('\n'))
      throw new TypeError('a line of `lines` holds several: pass whole text as `bytes`');
    yield encoder.encode(`${text}\n`);
  }
}

/** Cuts chunks at line ends. The last line may lack its own. */
async function* cutLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let rest: Uint8Array[] = [];
  let isFirst = true;
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError('`bytes` has to yield bytes: open the stream without an encoding');
    }
    let from = isFirst && startsWithMark(chunk) ? BYTE_ORDER_MARK.length : 0;
    isFirst = false;
    for (let end = chunk.indexOf(NEWLINE, from); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.slice(from, end + 1);
      yield rest.length === 0 ? line : joinBytes([...rest, line]);
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.slice(from));
  }
  if (rest.length > 0) yield joinBytes(rest);
}

function chunksOf(bytes: ByteSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (typeof bytes === 'string') {
    if (!isWellFormed(bytes)) throw new IllFormedLine('The text');
    return [encoder.encode(bytes)];
  }
  if (bytes instanceof Uint8Array) return [bytes];
  if (bytes instanceof Blob) return readAll(bytes.stream());
  return isStream(bytes) ? readAll(bytes) : bytes;
}

/** Not every browser lets a stream be iterated. */
async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function isStream(value: object): value is ReadableStream<Uint8Array> {
  return isObject(value) && typeof value.getReader === 'function';
}

function startsWithMark(chunk: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, index) => chunk[index] === byte);
}

function joinBytes(
  pieces: readonly Uint8Array[],
  length = pieces.reduce((sum, piece) => sum + piece.length, 0),
): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
