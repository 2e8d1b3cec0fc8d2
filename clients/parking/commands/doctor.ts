import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function doctorCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'doctor',
    {
      en: 'Look at everything that calls depend on: address, version, clocks, secrets and their rights. It changes nothing, and costs one or two calls of the budget.',
      it: 'Controlla tutto ciò da cui dipendono le chiamate: indirizzo, versione, orologi, segreti e diritti. Non cambia nulla e costa una o due chiamate del limite.',
    },
    ['parking doctor', 'parking doctor --profile demo --json'],
  ).action(async () => {
    const { examine } = await import('../doctor/examine.ts');
    const { doctorLines } = await import('../doctor/findings-text.ts');
    const { terminal, json, language } = office;
    const findings = await examine(office);
    if (json) terminal.json(findings);
    else for (const line of doctorLines(findings, language, terminal.paint)) terminal.data(line);
    const { verdictOf } = await import('../doctor/verdict.ts');
    const stop = verdictOf(findings);
    if (stop !== null) throw stop;
  });
}
