import { type AnyCommand, commandOf, PLATE, TENANT } from '../command.ts';
import type { Office } from '../office.ts';

export function plateEraseCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'erase',
    {
      en: 'Erase a plate wherever a tenant holds it, for good, after asking. Export it first where it may be needed.',
      it: 'Cancella una targa ovunque un ente la conservi, per sempre, dopo conferma. Prima esportarla, se può servire.',
    },
    ['parking plate erase AB123CD --tenant acme'],
  )
    .argument('<plate>', say(PLATE))
    .option('--tenant <code>', say(TENANT))
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (plate, { tenant, yes }) => {
      const { erasePlate } = await import('../plates/erase-plate.ts');
      await erasePlate(office, { plate, ...(tenant !== undefined && { tenant }) }, yes ?? false);
    });
}
