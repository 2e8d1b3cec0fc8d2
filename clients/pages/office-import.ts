// Reads a table for the office's page, in a worker: a long file does not freeze the page. It sends nothing to the service.

import type { Language } from '../../src/base/text/text.ts';
import {
  fileOf,
  MARK,
  openTable,
  REJECTED_TITLES,
  rejectedRow,
  TableError,
  Translator,
  Zone,
} from '../tables/index.ts';
import type { Previewed, Reading, Rejected, Reply, Request } from './office/import-messages.ts';

/** What has been read of the present file, for the file of rejected rows. */
let header: readonly string[] = [];
let delimiter = ';';
let cellsOfRow = new Map<number, readonly string[]>();
/** The row of each line that is sent. */
let rowOfLine: number[] = [];
let unreadable: Rejected[] = [];
/** Names the column and the value in place of the service's property. */
let inItsWords: (row: number, message: string) => string = (_, message) => message;

/** Rows that are shown before anything is sent. */
const PREVIEWED = 10;
/** Rows between two words of progress. */
const ROWS_BETWEEN = 1_000;

const reply = (message: Reply): void => postMessage(message);

addEventListener('message', ({ data: request }: MessageEvent<Request>) => {
  void answer(request).catch((error: unknown) => {
    const language = 'language' in request ? request.language : 'en';
    reply({ kind: 'failed', message: error instanceof TableError ? error.text[language] : String(error) });
  });
});

async function answer(request: Request): Promise<void> {
  switch (request.kind) {
    case 'open': {
      const table = await tableOf(request.file, request.headerRow, request.language);
      return reply({ kind: 'opened', header: table.header });
    }
    case 'read':
      return read(request);
    case 'refused': {
      // A line that the service has refused has its row here.
      const refused = request.errors.map(({ line, message }) => {
        const row = rowOfLine[line - 1] ?? 0;
        return { row, message: inItsWords(row, message) };
      });
      const rejected = [...unreadable, ...refused].toSorted((a, b) => a.row - b.row);
      return reply({ kind: 'rejected', rejected, file: rejectedFile(rejected) });
    }
  }
}

async function tableOf(file: File, headerRow: number, language: Language) {
  const notes: string[] = [];
  const format = file.name.toLowerCase().endsWith('.xlsx') ? 'xlsx' : 'csv';
  const options = { delimiter: null, sheet: null, encoding: null, headerRow };
  const table = await openTable(fileOf(file), format, options, (text) => notes.push(text[language]));
  return { ...table, notes };
}

async function read({ file, headerRow, importKind, mapping, timezone, endDates, language }: Reading) {
  const table = await tableOf(file, headerRow, language);
  const rules = { zone: new Zone(timezone), dateOrder: 'dmy', endDates } as const;
  const translator = new Translator(importKind, table.header, mapping, rules);
  ({ header, delimiter } = table);
  inItsWords = (row, message) => {
    const [, path, words] = /^([\w.]+): ([^;]+)$/.exec(message) ?? [];
    if (path === undefined || words === undefined) return message;
    const said = `– ${words}`;
    return translator.named(path, cellsOfRow.get(row) ?? [], { en: said, it: said })[language];
  };
  [cellsOfRow, rowOfLine, unreadable] = [new Map(), [], []];
  const lines: string[] = [];
  const preview: Previewed[] = [];
  for await (const row of table.rows()) {
    const { line, faults } = translator.read(row);
    const message = faults.map((fault) => fault.message[language]).join('; ');
    cellsOfRow.set(row.number, translator.withoutSpoilt(row));
    if (faults.length > 0) unreadable.push({ row: row.number, message });
    else {
      lines.push(`${JSON.stringify(line)}\n`);
      rowOfLine.push(row.number);
    }
    if (preview.length < PREVIEWED) preview.push({ row: row.number, line: { ...line }, message });
    const rows = cellsOfRow.size;
    if (rows % ROWS_BETWEEN === 0) reply({ kind: 'reading', rows, bytes: row.bytesRead });
  }
  const body = new TextEncoder().encode(lines.join(''));
  const counts = { lines: lines.length, rows: cellsOfRow.size };
  reply({ kind: 'read', body, ...counts, preview, rejected: unreadable, notes: table.notes });
}

/** The rejected rows as a table to correct: it is read again with the same columns. */
function rejectedFile(rejected: readonly Rejected[]): string {
  const rows = rejected.map(({ row, message }) => [String(row), '', message, ...(cellsOfRow.get(row) ?? [])]);
  const lines = [[...REJECTED_TITLES, ...header], ...rows].map((cells) => rejectedRow(cells, delimiter));
  return `${MARK}${lines.join('\r\n')}\r\n`;
}
