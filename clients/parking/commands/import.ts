import type { KindName } from '../../tables/index.ts';
import { type AnyCommand, commandOf, municipalityOption, Option, wholeNumber } from '../command.ts';
import type { FileFormat } from '../imports/mapping.ts';
import type { Office } from '../office.ts';

const FILE_FORMATS = ['csv', 'xlsx', 'ndjson'] as const satisfies readonly FileFormat[];

const WORDS: Readonly<Record<KindName, { readonly words: string; readonly examples: readonly string[] }>> = {
  sessions: {
    words: 'Import parking sessions from NDJSON files, or from tables: CSV or Excel.',
    examples: [
      'parking import sessions today.ndjson --source app1',
      'parking import sessions soste.csv --source app1 --map session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine',
      'parking import sessions soste.xlsx --source app1 --mapping soste.yaml --rejected rifiutate.csv',
    ],
  },
  subscriptions: {
    words: 'Import subscriptions from NDJSON files, or from tables: CSV or Excel.',
    examples: [
      'parking import subscriptions residents.ndjson --municipality H501',
      'parking import subscriptions residenti.xlsx --mapping residenti.yaml --dry-run',
    ],
  },
};

export function importCommand(office: Office, kind: KindName): AnyCommand {
  const { words, examples } = WORDS[kind];
  const command = commandOf(kind, words, examples)
    .argument('<file...>', 'files; - is standard input')
    .option('-s, --source <code>', 'code of the source of sessions (default: the credential’s)')
    .addOption(municipalityOption())
    .addOption(
      new Option('--format <format>', 'form of the files (default: by their names)').choices(FILE_FORMATS),
    )
    .option(
      '--map <pairs>',
      'table: which column is which property: plate=Targa,starts_at=Data+Ora',
      gathered,
    )
    .option('--set <pairs>', 'table: a value that all rows have: area_code=P1', gathered)
    .option('--value <pairs>', 'table: what a word of the file means: approval.approvato=approved', gathered)
    .option('--header-row <number>', 'table: the line of the titles (default: the first)', wholeNumber)
    .option('--mapping <file>', 'a YAML file that holds these options')
    .option('--sheet <name>', 'XLSX: which sheet (default: the first)')
    .option('--delimiter <character>', 'CSV: between the columns (default: found out)')
    .option(
      '--encoding <name>',
      'CSV: encoding of the text (default: utf-8, or windows-1252 where it is not; it says so)',
    )
    .option('--timezone <name>', 'table: time zone of times without an offset (default: the municipality’s)')
    .addOption(
      new Option('--date-order <order>', 'table: day or month first in 07/03/2026 (default: dmy)').choices([
        'dmy',
        'mdy',
      ] as const),
    )
    .addOption(
      new Option(
        '--end-dates <meaning>',
        'table: whether an end that is a bare date includes that day',
      ).choices(['included', 'excluded'] as const),
    )
    .option('--rejected <file>', 'write the rejected lines there, with their reasons')
    .option('--dry-run', 'have every line judged, and none stored', false);
  return command.action(async (files, options) => {
    const { runImport } = await import('../imports/run.ts');
    await runImport(office, kind, files, options);
  });
}

/** For options that may be given several times and whose values may hold commas. */
const gathered = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  value,
];
