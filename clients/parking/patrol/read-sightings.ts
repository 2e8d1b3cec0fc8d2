import { type OpenedFile, openFile } from '../imports/chunks.ts';
import { openCsv } from '../imports/csv-rows.ts';
import { type Decoder, decoderOf } from '../imports/decoder.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { askedInstant } from '../time/asked-time.ts';

/** A sighting, as the service takes it. */
export interface Sighting {
  /** Its line in the file. */
  readonly id: string;
  readonly plate: string;
  readonly area_code: string;
  readonly seen_at?: string;
}

/** The defaults of every line. */
export interface ReadOptions {
  readonly area: string | undefined;
  readonly municipality: string | undefined;
  /** Undefined: found out. */
  readonly encoding: string | undefined;
}

/** The columns, in this order if a file has no titles. */
const COLUMNS = ['plate', 'area_code', 'seen_at'] as const;

/**
 * Reads a file of plates: one a line, or a table with an area and a time, with or without titles.
 *
 * @throws Stop for a plate without an area, and for an invalid time
 */
export async function readSightings(
  office: Office,
  fileName: string,
  { area, municipality, encoding }: ReadOptions,
): Promise<readonly Sighting[]> {
  const decoder = decoderOf(fileName, encoding ?? null, (text) => office.note(text));
  const rows = await rowsOf(openFile(fileName, office.terminal.stdin), decoder);
  const sightings: Sighting[] = [];
  for (const { number, cells } of rows) {
    const [plate = '', areaCode = '', seenAt = ''] = cells.map((cell) => cell.trim());
    const place = areaCode === '' ? area : areaCode;
    if (place === undefined) throw withoutArea(fileName, number);
    sightings.push({
      ...{ id: String(number), plate, area_code: place },
      ...(seenAt !== '' && { seen_at: await askedInstant(office, seenAt, municipality) }),
    });
  }
  return sightings;
}

interface Row {
  readonly number: number;
  readonly cells: readonly string[];
}

async function rowsOf(file: OpenedFile, decoder: Decoder): Promise<readonly Row[]> {
  const table = await openCsv(file, decoder, null);
  const titles = table.header.map((title) => title.trim().toLowerCase());
  const hasTitles = titles.includes('plate');
  const places = hasTitles ? COLUMNS.map((name) => titles.indexOf(name)) : COLUMNS.map((_, index) => index);
  const rows: Row[] = hasTitles ? [] : [{ number: 1, cells: table.header }];
  for await (const { number, source } of table.rows()) {
    rows.push({ number, cells: typeof source === 'string' ? [source] : source });
  }
  return rows.map(({ number, cells }) => ({ number, cells: places.map((place) => cells[place] ?? '') }));
}

const withoutArea = (file: string, line: number) =>
  wrongUsage({
    en: `${file}, line ${line}: the area is missing. Put it after the plate, or give one for all: --area CODE.`,
    it: `${file}, riga ${line}: manca l’area. Scriverla dopo la targa, o indicarne una per tutte: --area CODICE.`,
  });
