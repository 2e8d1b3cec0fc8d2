import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function statusCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'status',
    {
      en: 'Show the state of the service: databases, late sources, snapshots, retention, moves, wrong settings, and payments that wait for an office.',
      it: 'Mostra ciò che un gestore chiede per primo: database, sorgenti in ritardo, istantanee, conservazione, spostamenti, impostazioni errate e pagamenti da definire.',
    },
    ['parking status', 'parking status --json'],
  ).action(async () => {
    const status = await office.answer(office.client.getStatus({}, office.call));
    const { findUnsettled } = await import('../payments/unsettled.ts');
    const unsettled = await findUnsettled(office);
    const { terminal, json, language } = office;
    if (json) {
      terminal.json({ ...status, unsettled_payments: unsettled });
      return;
    }
    const { serviceStatusLines } = await import('../views/service-status.ts');
    for (const line of serviceStatusLines({ status, unsettled }, language, terminal.paint))
      terminal.data(line);
  });
}
