import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export const CREDENTIAL_ID_WORDS = { en: 'id of the credential', it: 'id della credenziale' };

export function credentialShowCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'show',
    { en: 'Show a credential, without its secrets.', it: 'Mostra una credenziale, senza i segreti.' },
    ['parking credential show 0123456789abcdef01234567'],
  )
    .argument('<id>', office.say(CREDENTIAL_ID_WORDS))
    .action(async (id) => {
      const { findCredential } = await import('../credentials.ts');
      const { credentialLines } = await import('../views/credential.ts');
      const credential = await findCredential(office, id);
      const { terminal, json, language } = office;
      if (json) terminal.json(credential);
      else
        for (const line of credentialLines(credential, language, terminal.paint.columns)) terminal.data(line);
    });
}
