import { type AnyCommand, commandOf, MUNICIPALITY, PLATE } from '../command.ts';
import type { Office } from '../office.ts';

const SOURCE = {
  en: 'code of its source, if several have such a session',
  it: 'codice della sua sorgente, se più sorgenti hanno quella sosta',
};

export function sessionShowCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'show',
    {
      en: 'Show the stored sessions of a plate, the newest first. It takes an office’s token.',
      it: 'Mostra le soste salvate di una targa, dalla più recente. Richiede il token di un ufficio.',
    },
    ['parking session show AB123CD --municipality H501'],
  )
    .argument('<plate>', say(PLATE))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .action(async (plate, { municipality }) => {
      const { showSessions } = await import('../records/sessions.ts');
      await showSessions(office, plate, municipality);
    });
}

export function sessionEndCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'end',
    {
      en: 'End a session, now or at another time, after showing it before and after, and asking.',
      it: 'Termina una sosta, ora o a un altro orario, dopo averla mostrata prima e dopo, e chiesto conferma.',
    },
    ['parking session end A-1 --plate AB123CD --municipality H501 --at "07/03/2026 17:44"'],
  )
    .argument('<session>', say({ en: 'its session_id', it: 'il suo session_id' }))
    .requiredOption('--plate <plate>', say(PLATE))
    .option(
      '--at <time>',
      say({ en: 'when it ends (default: now)', it: 'quando finisce (predefinito: ora)' }),
    )
    .option('--source <code>', say(SOURCE))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (id, options) => {
      const { endSession } = await import('../records/sessions.ts');
      await endSession(office, id, options);
    });
}
