import { type AnyCommand, type Command, gathered, MUNICIPALITY, Option, wholeNumber } from '../command.ts';
import type { ImportCommandOptions } from '../imports/run-import.ts';
import type { Office } from '../office.ts';

const MAX_LINES = 1_000_000_000;
const MAX_HEADER_ROW = 1_000;

/** What both imports take. */
export function withImportOptions(
  office: Office,
  command: Command,
  action: (files: string[], options: ImportCommandOptions) => Promise<void>,
): AnyCommand {
  const say = office.say.bind(office);
  command
    .argument('<file...>', say({ en: 'files; - is standard input', it: 'file; - è lo standard input' }))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .addOption(
      new Option(
        '--format <format>',
        say({
          en: 'form of the files (default: by their names)',
          it: 'formato dei file (predefinito: secondo i nomi)',
        }),
      ).choices(['csv', 'xlsx', 'ndjson'] as const),
    )
    .option(
      '--map <pairs>',
      say({
        en: 'table: which column is which property: plate=Targa,starts_at=Data+Ora',
        it: 'tabella: quale colonna è quale proprietà: plate=Targa,starts_at=Data+Ora',
      }),
      gathered,
    )
    .option(
      '--set <pairs>',
      say({
        en: 'table: a value that all rows have: area_code=P1',
        it: 'tabella: un valore comune a tutte le righe: area_code=P1',
      }),
      gathered,
    )
    .option(
      '--value <pairs>',
      say({
        en: 'table: what a word of the file means: approval.approvato=approved',
        it: 'tabella: che cosa vuol dire una parola del file: approval.approvato=approved',
      }),
      gathered,
    )
    .option(
      '--header-row <number>',
      say({
        en: 'table: the line of the titles (default: the first)',
        it: 'tabella: la riga dei titoli (predefinita: la prima)',
      }),
      wholeNumber(1, MAX_HEADER_ROW),
    )
    .option(
      '--mapping <name>',
      say({
        en: 'a mapping that is kept: a YAML file, or its name in the folder mappings next to the profiles',
        it: 'una mappatura salvata: un file YAML, o il suo nome nella cartella mappings accanto ai profili',
      }),
    )
    .option(
      '--sheet <name>',
      say({ en: 'XLSX: which sheet (default: the first)', it: 'XLSX: quale foglio (predefinito: il primo)' }),
    )
    .option(
      '--delimiter <character>',
      say({
        en: 'CSV: between the columns (default: found out)',
        it: 'CSV: tra le colonne (predefinito: riconosciuto)',
      }),
    )
    .option(
      '--encoding <name>',
      say({
        en: 'CSV: encoding of the text (default: utf-8, or windows-1252 where it is not; it says so)',
        it: 'CSV: codifica del testo (predefinita: utf-8, o windows-1252 se non lo è; viene detto)',
      }),
    )
    .option(
      '--timezone <name>',
      say({
        en: 'table: time zone of times without an offset (default: the municipality’s)',
        it: 'tabella: fuso degli orari senza differenza oraria (predefinito: quello del comune)',
      }),
    )
    .addOption(
      new Option(
        '--date-order <order>',
        say({
          en: 'table: day or month first in 07/03/2026 (default: dmy)',
          it: 'tabella: giorno o mese per primo in 07/03/2026 (predefinito: dmy)',
        }),
      ).choices(['dmy', 'mdy'] as const),
    )
    .addOption(
      new Option(
        '--end-dates <meaning>',
        say({
          en: 'table: whether an end that is a bare date includes that day',
          it: 'tabella: se una fine senza ora comprende quel giorno',
        }),
      ).choices(['included', 'excluded'] as const),
    )
    .option(
      '--from-line <number>',
      say({ en: 'pass over the lines before this one', it: 'salta le righe prima di questa' }),
      wholeNumber(1, MAX_LINES),
    )
    .option(
      '--rejected <file>',
      say({
        en: 'write all rejected lines there, with their reasons',
        it: 'scrive lì tutte le righe rifiutate, con il motivo',
      }),
    )
    .option(
      '--dry-run',
      say({ en: 'validate every line, and send nothing', it: 'controlla ogni riga, senza inviare nulla' }),
    )
    .action((files, options) => action(files, options));
  return command;
}
