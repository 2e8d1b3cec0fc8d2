import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function loginCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'login',
    {
      en: 'Keep a service’s address and a secret in a profile that only you can read.',
      it: 'Salva l’indirizzo di un servizio e un segreto in un profilo che solo tu puoi leggere.',
    },
    [
      'parking login --url https://parking.example',
      'parking login --profile roma --municipality H501',
      'pass show parking/admin | parking login --profile roma --url https://parking.example --stdin',
    ],
  )
    .option('--url <address>', say({ en: 'address of the service', it: 'indirizzo del servizio' }))
    .option(
      '-m, --municipality <code>',
      say({ en: 'municipality of commands that name none', it: 'comune dei comandi che non ne nominano' }),
    )
    .option(
      '--stdin',
      say({ en: 'read the secret from standard input', it: 'legge il segreto dallo standard input' }),
    )
    .addHelpText(
      'after',
      `\n${say({
        en: 'Either token is taken: an access token (pev_at_…), an office’s too, or the\nadministrator’s. A profile holds one of each, and what the token may do is said.\nA secret is never an argument: arguments show in the list of processes.',
        it: 'Vale un token di accesso (pev_at_…), anche di un ufficio, o quello di\namministratore. Un profilo ne contiene uno per tipo; i diritti vengono mostrati.\nUn segreto non è mai un argomento: gli argomenti sono visibili nell’elenco dei\nprocessi.',
      })}`,
    )
    .action(async (options) => {
      const { login } = await import('../profiles/login.ts');
      await login(office, options);
    });
}
