import type { OpenedFile } from '../../clients/parking/imports/chunks.ts';
import { openCsv } from '../../clients/parking/imports/csv-rows.ts';
import { decoderOf } from '../../clients/parking/imports/decoder.ts';
import type { KindName } from '../../clients/parking/imports/kinds.ts';
import { readPairs, Translator } from '../../clients/parking/imports/mapping.ts';
import type { TimeRules } from '../../clients/parking/time/read-time.ts';
import { Zone } from '../../clients/parking/time/wall-clock.ts';

const RULES: TimeRules = { zone: new Zone('Europe/Rome'), dateOrder: 'dmy', endDates: 'included' };

interface Told {
  readonly map?: string;
  readonly set?: string;
  readonly encoding?: string | null;
  /** Gets what is said of the file. */
  readonly notes?: string[];
  readonly chunk?: number;
}

/** A file that comes in chunks of a few bytes, cut anywhere. */
const fileOf = (bytes: Uint8Array, chunk: number): OpenedFile => ({
  name: 'soste.csv',
  bytes: bytes.length,
  async *chunks() {
    for (let from = 0; from < bytes.length; from += chunk)
      yield Buffer.from(bytes.subarray(from, from + chunk));
  },
});

/** The lines that a table becomes. */
export async function linesOf(
  kind: KindName,
  text: string | Uint8Array,
  { map, set, encoding = null, notes = [], chunk = 7 }: Told = {},
) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const file = fileOf(bytes, chunk);
  const table = await openCsv(
    file,
    decoderOf(file.name, encoding, ({ en }) => notes.push(en)),
    null,
  );
  const mapping = {
    columns: readPairs(map === undefined ? [] : [map], '--map'),
    constants: readPairs(set === undefined ? [] : [set], '--set'),
  };
  const translator = new Translator(kind, table.header, mapping, RULES);
  const lines = [];
  for await (const row of table.rows()) {
    const { text: line, trouble } = translator.translate(row);
    lines.push({
      number: row.number,
      line: JSON.parse(line) as unknown,
      trouble: trouble?.message.en ?? null,
    });
  }
  return lines;
}
