// Reads a table for the office's page, in a worker: a long file does not freeze the page. It sends nothing to the service.

import type { RejectedLine } from '../client/imports/import.ts';
import {
  fileOf,
  type KindName,
  MARK,
  type Mapping,
  openTable,
  REJECTED_TITLES,
  rejectedRow,
  TableError,
  Translator,
  Zone,
} from '../tables/index.ts';

/** A file, and where its titles stand. */
interface TableInput {
  readonly file: File;
  readonly headerRow: number;
}

/** How a whole table is to be read. */
interface Reading extends TableInput {
  readonly importKind: KindName;
  readonly mapping: Mapping;
  readonly timezone: string;
}

/** A row that cannot be imported as it is. */
export interface Rejected {
  readonly row: number;
  readonly message: string;
}

/** One of the first rows, with the line that it becomes. */
export interface Previewed extends Rejected {
  readonly line: Readonly<Record<string, unknown>>;
}

/** A job and its input, which the types of the page's side hold together. */
interface Question {
  readonly job: keyof Jobs;
  readonly input: never;
}

/** What the page hears of a job. */
export type Reply =
  | { readonly progress: { readonly rows: number; readonly bytes: number } }
  | { readonly found: unknown }
  | { readonly failed: string };

const reply = (message: Reply): void => postMessage(message);
/** The page names its worker by its own language. */
const language = self.name === 'it' ? 'it' : 'en';

/** What has been read of the file, for the file of rejected rows. */
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

const jobs = {
  /** The titles of a table. */
  open: async (input: TableInput) => (await tableOf(input)).header,
  read,
  /** All rejected rows, those that the service has refused too: named by their rows, and as a table to correct. */
  reject: (errors: readonly Pick<RejectedLine, 'line' | 'message'>[]) => {
    const refused = errors.map(({ line, message }) => {
      const row = rowOfLine[line - 1] ?? 0;
      return { row, message: inItsWords(row, message) };
    });
    return rejectedOf([...unreadable, ...refused].toSorted((a, b) => a.row - b.row));
  },
};
export type Jobs = typeof jobs;

/** A job for each message: the page waits for one before it asks for another. */
addEventListener('message', ({ data: { job, input } }: MessageEvent<Question>) => {
  const found = async (): Promise<unknown> => jobs[job](input);
  found().then(
    (value) => reply({ found: value }),
    (error: unknown) => reply({ failed: error instanceof TableError ? error.text[language] : String(error) }),
  );
});

async function tableOf({ file, headerRow }: TableInput) {
  const notes: string[] = [];
  const format = file.name.toLowerCase().endsWith('.xlsx') ? 'xlsx' : 'csv';
  const options = { delimiter: null, sheet: null, encoding: null, headerRow };
  const table = await openTable(fileOf(file), format, options, (text) => notes.push(text[language]));
  return { ...table, notes };
}

/** The lines of a table, ready to be sent, and how its rows were read. */
async function read({ importKind, mapping, timezone, ...input }: Reading) {
  const table = await tableOf(input);
  const rules = { zone: new Zone(timezone), dateOrder: 'dmy', endDates: 'included' } as const;
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
    if (rows % ROWS_BETWEEN === 0) reply({ progress: { rows, bytes: row.bytesRead } });
  }
  const body = new TextEncoder().encode(lines.join(''));
  const counts = { lines: lines.length, rows: cellsOfRow.size };
  return { body, ...counts, preview, rejected: rejectedOf(unreadable), notes: table.notes };
}

/** Rejected rows, and the same as a table to correct: it is read again with the same columns. */
function rejectedOf(rejected: readonly Rejected[]) {
  const rows = rejected.map(({ row, message }) => [String(row), '', message, ...(cellsOfRow.get(row) ?? [])]);
  const lines = [[...REJECTED_TITLES, ...header], ...rows].map((cells) => rejectedRow(cells, delimiter));
  return { rejected, file: `${MARK}${lines.join('\r\n')}\r\n` };
}
