import { type TableRow, TextReader } from '../../tables/index.ts';
import type { OpenedFile } from './chunks.ts';
import type { Trouble } from './kinds.ts';
import { type RowSource, type Translated, unreadable } from './rows.ts';

/** Far longer than any line that the service takes: the rest is dropped. */
const MAX_CHARACTERS = 1_024 * 1_024;

const TOO_LONG: Trouble = {
  code: 'INVALID_REQUEST',
  message: { en: 'the line is too long', it: 'la riga è troppo lunga' },
};

/** Newline-delimited JSON: its lines go to the service unchanged. Blank ones are numbered and left out. */
export function ndjsonRows(file: OpenedFile): RowSource {
  return {
    rows: () => linesOf(file),
    translate,
    // A line has the service's own names, so the service's messages need no translation.
    explain: (_, said) => said,
    passOver: () => {},
    written: textOf,
    header: null,
    delimiter: null,
    isPlainUtf8: async () => true,
  };
}

const textOf = ({ source }: TableRow): string => source[0] ?? '';

function translate(row: TableRow): Translated {
  const text = textOf(row);
  return text.length > MAX_CHARACTERS ? unreadable(row, TOO_LONG) : { text, trouble: null };
}

async function* linesOf(file: OpenedFile): AsyncGenerator<TableRow, void, void> {
  const reader = new TextReader(file.name, 'utf-8', () => {});
  let rest = '';
  let number = 0;
  let bytesRead = 0;
  for await (const chunk of file.chunks()) {
    const text = reader.read(chunk);
    bytesRead += chunk.length;
    let from = 0;
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', from)) {
      number += 1;
      const source = rest + text.slice(from, feed);
      if (source.trim() !== '') yield { number, bytesRead, source: [source] };
      rest = '';
      from = feed + 1;
    }
    // A line that never ends must not fill the memory: its beginning is enough to refuse it.
    if (rest.length <= MAX_CHARACTERS) rest += text.slice(from);
  }
  rest += reader.read(null);
  if (rest.trim() !== '') yield { number: number + 1, bytesRead, source: [rest] };
}
