import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function statusCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'status',
    {
      en: 'Show the state of the service: the database, late sources, snapshots, retention, and wrong settings.',
      it: 'Mostra ciò che un gestore chiede per primo: base dati, sorgenti in ritardo, istantanee, conservazione e impostazioni errate.',
    },
    ['parking status', 'parking status --json'],
  ).action(async () => {
    const status = await office.answer(office.client.getStatus({}, office.call));
    const { terminal, json, language } = office;
    if (json) {
      terminal.json(status);
      return;
    }
    const { serviceStatusLines } = await import('../views/service-status.ts');
    for (const line of serviceStatusLines(status, language, terminal.paint)) terminal.data(line);
  });
}
