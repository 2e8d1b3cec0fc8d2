import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { withImportOptions } from './import-options.ts';

export function importSessionsCommand(office: Office): AnyCommand {
  const command = commandOf(
    office,
    'sessions',
    {
      en: 'Import parking sessions from NDJSON files, or from tables: CSV or Excel.',
      it: 'Importa soste da file NDJSON, o da tabelle: CSV o Excel.',
    },
    [
      'parking import sessions today.ndjson --source app1',
      'parking import sessions soste.csv --source app1 --map plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine --set revision=1',
      'parking import sessions *.csv --rejected rifiutate.csv --dry-run',
    ],
  ).option(
    '-s, --source <code>',
    office.say({
      en: 'code of the source (default: the credential’s)',
      it: 'codice della sorgente (predefinito: quello della credenziale)',
    }),
  );
  return withImportOptions(office, command, async (files, options) => {
    const { runImport } = await import('../imports/run-import.ts');
    await runImport(office, 'sessions', files, { ...options, source: command.opts().source });
  });
}
