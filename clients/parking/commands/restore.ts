import type { Text } from '../../../src/base/text/text.ts';
import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';

const FILE_OR_DISCARD: Text = {
  en: 'Give either the file of a backup, or --discard with the municipality whose restore is to be thrown away.',
  it: 'Indicare il file di una copia, oppure con --discard il comune il cui ripristino va eliminato.',
};

export function restoreCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'restore',
    {
      en: 'Restore a municipality from a file of `parking backup`, after asking. To continue an interrupted restore, run it again. Nothing is restored over a city that is there.',
      it: 'Ripristina un comune da un file di `parking backup`, dopo conferma. Se interrotto, eseguirlo di nuovo. Un comune che c’è non viene sovrascritto.',
    },
    [
      'parking restore h501.ndjson.gz',
      'parking restore h501.ndjson.gz --tenant acme --yes',
      'parking restore --discard H501',
    ],
  )
    .argument('[file]', say({ en: 'a file of `parking backup`', it: 'un file di `parking backup`' }))
    .option(
      '--tenant <code>',
      say({
        en: 'the tenant that gets it (default: the one that it had)',
        it: 'l’ente che lo riceve (predefinito: quello che aveva)',
      }),
    )
    .option(
      '--discard <municipality>',
      say({ en: 'throw away a restore that is not done', it: 'elimina un ripristino non concluso' }),
    )
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (file, { tenant, discard, yes: unasked = false }) => {
      const { runRestore, discardRestore } = await import('../backups/run-restore.ts');
      if (file !== undefined && discard === undefined) {
        await runRestore(office, file, { tenant, unasked });
      } else if (file === undefined && discard !== undefined) {
        await discardRestore(office, discard, unasked);
      } else {
        throw wrongUsage(FILE_OR_DISCARD);
      }
    });
}
