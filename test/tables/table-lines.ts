import {
  type KindName,
  openTable,
  type TableFile,
  type TableOptions,
  type TimeRules,
  Translator,
  Zone,
} from '../../clients/tables/index.ts';

const RULES: TimeRules = { zone: new Zone('Europe/Rome'), dateOrder: 'dmy', endDates: 'included' };

export interface Told extends Partial<TableOptions> {
  /** Pairs, as `plate=Targa,starts_at=Dal+Ora`. */
  readonly map?: string;
  readonly set?: string;
  readonly name?: string;
  /** Gets what is said of the file. */
  readonly notes?: string[];
  readonly chunk?: number;
}

/** A file that comes in chunks of a few bytes, cut anywhere. */
const fileOf = (name: string, bytes: Uint8Array, chunk: number): TableFile => ({
  name,
  async *chunks() {
    for (let from = 0; from < bytes.length; from += chunk) yield bytes.subarray(from, from + chunk);
  },
});

const pairs = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text === ''
      ? []
      : text.split(',').map((pair): [string, string] => {
          const [name = '', value = ''] = pair.split('=');
          return [name, value];
        }),
  );

/** Opens a table: CSV, or a workbook by its name. */
export function open(content: string | Uint8Array, told: Told = {}) {
  const { name = 'soste.csv', notes = [], chunk = 7, ...options } = told;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return openTable(
    fileOf(name, bytes, chunk),
    name.endsWith('.xlsx') ? 'xlsx' : 'csv',
    { delimiter: null, headerRow: 1, encoding: null, sheet: null, ...options },
    ({ en }) => notes.push(en),
  );
}

/** The lines that a table becomes. */
export async function linesOf(kind: KindName, content: string | Uint8Array, told: Told = {}) {
  const table = await open(content, told);
  const mapping = { columns: pairs(told.map ?? ''), constants: pairs(told.set ?? '') };
  const translator = new Translator(kind, table.header, mapping, RULES);
  const lines = [];
  for await (const row of table.rows()) {
    const { line, faults } = translator.read(row);
    const trouble = faults.length === 0 ? null : faults.map(({ message }) => message.en).join('; ');
    lines.push({ number: row.number, line, trouble });
  }
  return lines;
}
