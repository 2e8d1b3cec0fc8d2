import { type AnyCommand, commandOf, PLATE, TENANT } from '../command.ts';
import type { Office } from '../office.ts';

export function plateExportCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'export',
    {
      en: 'Export everything that is held on a plate, as JSON.',
      it: 'Esporta in JSON tutto ciò che è conservato su una targa.',
    },
    ['parking plate export AB123CD --tenant acme --out ab123cd.json'],
  )
    .argument('<plate>', say(PLATE))
    .option('--tenant <code>', say(TENANT))
    .option(
      '-o, --out <file>',
      say({
        en: 'write it there (mode 600), not to standard output',
        it: 'lo scrive lì (modo 600), non sullo standard output',
      }),
    )
    .action(async (plate, { tenant, out }) => {
      const { exportPlate } = await import('../plates/export-plate.ts');
      await exportPlate(office, { plate, ...(tenant !== undefined && { tenant }) }, out);
    });
}
