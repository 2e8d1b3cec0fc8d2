import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function backupCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'backup',
    {
      en: 'Back a municipality up into a file. The file holds plates in clear.',
      it: 'Salva un comune in un file. Il file contiene targhe in chiaro.',
    },
    ['parking backup H501 --out h501.ndjson.gz'],
  )
    .argument('<municipality>', say({ en: 'its code', it: 'il suo codice' }))
    .requiredOption(
      '-o, --out <file>',
      say({
        en: 'a new file (gzip, mode 600); FILE.unfinished until it is whole',
        it: 'un nuovo file (gzip, modo 600); FILE.unfinished finché non è completo',
      }),
    )
    .action(async (code, { out }) => {
      const { runBackup } = await import('../backups/run-backup.ts');
      await runBackup(office, code, out);
    });
}
