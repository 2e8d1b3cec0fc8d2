import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, truncate } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import { MARK, rejectedCells } from '../../tables/index.ts';
import { wrongUsage } from '../stop.ts';
import { openFile } from './chunks.ts';
import { ndjsonRows } from './ndjson-rows.ts';

/** How rejected rows are written: as a table that can be corrected and imported again, or as lines of JSON. */
export type RejectedForm =
  | {
      readonly header: readonly string[];
      readonly delimiter: string;
      /** Begins with the mark by which a spreadsheet recognises UTF-8. */
      readonly isMarked: boolean;
    }
  | { readonly header: null };

/** The rejected rows that a file names already, as short hashes: it may hold a million of them. */
export type NamedBefore = Set<string>;

/** The text of a rejected row as one key: the cells of its table row, or its line of JSON. */
export const keyOf = (written: readonly string[] | string): string =>
  createHash('sha256').update(JSON.stringify(written)).digest('base64').slice(0, 20);

/**
 * Reads a file of rejected rows of an earlier run, so that the next one appends only missing rows. A last row
 * that was cut off when that run was killed is removed: it will be written again.
 *
 * @returns the rows that it names; null for a file that is empty, or was cut off within its titles
 * @throws Stop for any other file, which is left unchanged
 */
export async function readNamedBefore(
  name: string,
  titles: readonly string[],
  form: RejectedForm,
): Promise<NamedBefore | null> {
  const { named, wholeBytes, bytes } =
    form.header === null ? await readLines(name) : await readTable(name, titles, form.delimiter);
  if (wholeBytes < bytes) await truncate(name, wholeBytes);
  return wholeBytes === 0 ? null : named;
}

interface Reading {
  readonly named: NamedBefore;
  readonly bytes: number;
  /** Up to the end of the last whole row. */
  readonly wholeBytes: number;
}

async function readTable(name: string, titles: readonly string[], delimiter: string): Promise<Reading> {
  const { size: bytes, endsWhole } = await endOf(name);
  const named: NamedBefore = new Set();
  if (await isCutMark(name, bytes)) return { named, bytes, wholeBytes: 0 };
  // The ends of the last two records: the parser is some records ahead of its reader.
  let [lastEnd, endBefore] = [0, 0];
  const parser = createReadStream(name).pipe(
    parse({
      delimiter,
      bom: true,
      relax_column_count: true,
      on_record: (cells: string[], info) => {
        [endBefore, lastEnd] = [lastEnd, info.bytes];
        return rejectedCells(cells);
      },
    }),
  );
  let rows = 0;
  let lastKey = '';
  try {
    // Without `columns` and the like, a record is its cells.
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (rows === 0) checkTitles(name, cells, titles, endsWhole);
      lastKey = keyOf(cells);
      named.add(lastKey);
      rows += 1;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED' || rows === 0) throw notRejectedRows(name);
    return { named, bytes, wholeBytes: lastEnd };
  }
  if (endsWhole) return { named, bytes, wholeBytes: bytes };
  named.delete(lastKey);
  return { named, bytes, wholeBytes: endBefore };
}

/** Titles that were cut off begin like the whole ones. */
function checkTitles(name: string, found: readonly string[], titles: readonly string[], areWhole: boolean) {
  const [first, whole] = [found.join('\n'), titles.join('\n')];
  if (first !== whole && (areWhole || !whole.startsWith(first))) throw notRejectedRows(name);
}

async function readLines(name: string): Promise<Reading> {
  const { size: bytes, endsWhole } = await endOf(name);
  const named: NamedBefore = new Set();
  let last = '';
  for await (const { source } of ndjsonRows(openFile(name, process.stdin)).rows()) {
    last = String(source[0]);
    const isOurs = last.startsWith(BEGINNING) || (!endsWhole && BEGINNING.startsWith(last));
    if (named.size === 0 && !isOurs) throw notRejectedRows(name);
    named.add(keyOf(last));
  }
  if (endsWhole) return { named, bytes, wholeBytes: bytes };
  named.delete(keyOf(last));
  return { named, bytes, wholeBytes: bytes - Buffer.byteLength(last) };
}

/** The key of each line of JSON that names a rejected row. */
const BEGINNING = '{"file":';

/** Whether a run was killed before the first title was whole. */
async function isCutMark(name: string, bytes: number): Promise<boolean> {
  const mark = Buffer.from(MARK);
  return bytes > 0 && bytes <= mark.length && mark.subarray(0, bytes).equals(await readFile(name));
}

async function endOf(name: string): Promise<{ size: number; endsWhole: boolean }> {
  const file = await open(name);
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(1);
    if (size > 0) await file.read(end, 0, 1, size - 1);
    return { size, endsWhole: size === 0 || end.toString() === '\n' };
  } finally {
    await file.close();
  }
}

const notRejectedRows = (name: string) =>
  wrongUsage({
    en: `${name} is there already, and holds something else than the rejected lines of this import. Name another file. Nothing was sent.`,
    it: `${name} esiste già e non contiene le righe rifiutate di questa importazione. Indicare un altro file. Nulla è stato inviato.`,
  });
