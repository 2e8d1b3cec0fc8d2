import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { withImportOptions } from './import-options.ts';

export function importSubscriptionsCommand(office: Office): AnyCommand {
  const command = commandOf(
    office,
    'subscriptions',
    {
      en: 'Import subscriptions from NDJSON files, or from tables: CSV or Excel.',
      it: 'Importa abbonamenti da file NDJSON, o da tabelle: CSV o Excel.',
    },
    [
      'parking import subscriptions residents.ndjson --municipality H501',
      'parking import subscriptions abbonamenti.csv --map subscription_number=Numero,plates=Targhe,type=Tipo --set approval=approved,areas=all --end-dates included',
    ],
  );
  return withImportOptions(office, command, async (files, options) => {
    const { runImport } = await import('../imports/run-import.ts');
    await runImport(office, 'subscriptions', files, options);
  });
}
