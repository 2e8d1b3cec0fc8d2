import { type AnyCommand, commandOf, yesOption } from '../command.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';

export const backupCommand = (office: Office): AnyCommand =>
  commandOf('backup', 'Back a municipality up into a file. The file holds plates in clear.', [
    'parking backup H501 --out h501.ndjson.gz',
  ])
    .argument('<municipality>', 'its code')
    .requiredOption('-o, --out <file>', 'a new file (gzip, mode 600); FILE.unfinished until it is whole')
    .action(async (code, { out }) => {
      const { backUp } = await import('../back-up.ts');
      await backUp(office, code, out);
    });

export const restoreCommand = (office: Office): AnyCommand =>
  commandOf(
    'restore',
    'Restore a municipality from a file of `parking backup`, after asking. To continue an interrupted restore, run it again. Nothing is restored over a city that is there.',
    [
      'parking restore h501.ndjson.gz',
      'parking restore h501.ndjson.gz --tenant acme --yes',
      'parking restore --discard H501',
    ],
  )
    .argument('[file]', 'a file of `parking backup`')
    .option('--tenant <code>', 'the tenant that gets it (default: the one that it had)')
    .option('--discard <municipality>', 'throw away a restore that is not done')
    .addOption(yesOption())
    .action(async (file, { tenant, discard, yes }) => {
      const { restore, discardRestore } = await import('../restore.ts');
      if (file !== undefined && discard === undefined) await restore(office, file, tenant, yes);
      else if (file === undefined && discard !== undefined) await discardRestore(office, discard, yes);
      else {
        throw wrongUsage(
          'Give either the file of a backup, or --discard with the municipality whose restore is to be thrown away.',
        );
      }
    });
