import type { KindName, Reading, Table, TableRow, Translator } from '../../tables/index.ts';
import { faultsOf, itemIn, notAmong, pathedIn } from './faults.ts';
import { type KnownCodes, NOTHING_KNOWN, type Trouble } from './kinds.ts';
import { type RowSource, type Translated, unreadable } from './rows.ts';

/** The rows of a table as lines of an import. */
export class TableSource implements RowSource {
  readonly header: readonly string[];
  readonly delimiter: string;
  readonly rows: Table['rows'];
  readonly isPlainUtf8: RowSource['isPlainUtf8'];
  readonly #kind: KindName;
  readonly #translator: Translator;

  constructor(
    kind: KindName,
    { header, delimiter, rows }: Table,
    translator: Translator,
    isPlainUtf8: RowSource['isPlainUtf8'],
  ) {
    this.#kind = kind;
    this.#translator = translator;
    this.header = header;
    this.delimiter = delimiter;
    this.rows = rows;
    this.isPlainUtf8 = isPlainUtf8;
  }

  passOver(row: TableRow): void {
    this.#translator.read(row);
  }

  translate(row: TableRow): Translated {
    const reading = this.#translator.read(row);
    const [first] = reading.faults;
    if (first === undefined) return { text: JSON.stringify(reading.line), trouble: null };
    const said = { code: 'INVALID_REQUEST', message: first.message };
    return unreadable(row, this.#explained(row, reading, said, NOTHING_KNOWN));
  }

  explain(row: TableRow, said: Trouble, known: KnownCodes): Trouble {
    return this.#explained(row, this.#translator.read(row), said, known);
  }

  written(row: TableRow): readonly string[] {
    return this.#translator.withoutSpoilt(row);
  }

  #explained(row: TableRow, { line, faults }: Reading, said: Trouble, known: KnownCodes): Trouble {
    const unread = new Set(faults.map(({ path }) => path));
    // Of a row that cannot be read, nothing is known.
    const inLine =
      row.fault !== undefined || row.source.length !== this.header.length
        ? []
        : faultsOf(this.#kind, line, known);
    const others = inLine.filter(({ path }) => !unread.has(this.#translator.propertyOf(path)));
    const ofService = faults.length > 0 ? [] : notAmong(inLine, pathedIn(said));
    const messages = [
      ...faults.map(({ message }) => message),
      ...[...others, ...ofService].map(({ path, message }) =>
        this.#translator.named(path, row.source, message, itemIn(line, path)),
      ),
    ];
    if (messages.length === 0) return said;
    return {
      code: said.code,
      message: {
        en: messages.map(({ en }) => en).join('; '),
        it: messages.map(({ it }) => it).join('; '),
      },
    };
  }
}
