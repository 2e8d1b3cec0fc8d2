import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { credentialFields, withCredentialOptions } from './credential-options.ts';
import { CREDENTIAL_ID_WORDS } from './credential-show.ts';

export function credentialChangeCommand(office: Office): AnyCommand {
  const command = commandOf(
    office,
    'change',
    {
      en: 'Change a credential: only the properties that you name. A list replaces the old one.',
      it: 'Modifica una credenziale: ciò che si indica, e nient’altro. Un elenco sostituisce quello precedente.',
    },
    [
      'parking credential change 0123456789abcdef01234567 --rate-limit 600/60s',
      'parking credential change 0123456789abcdef01234567 --expires-at 2027-01-01T00:00:00+01:00 --ip 192.0.2.0/24',
    ],
  );
  return withCredentialOptions(office, command)
    .argument('<id>', office.say(CREDENTIAL_ID_WORDS))
    .action(async (id, options) => {
      const { credentialLines } = await import('../views/credential.ts');
      const fields = credentialFields(options);
      if (Object.keys(fields).length === 0) {
        throw wrongUsage({
          en: 'Say what to change: see --help.',
          it: 'Indicare che cosa cambiare: vedere --help.',
        });
      }
      const {
        success: _,
        ok: __,
        request_id,
        ...changed
      } = await office.answer(office.client.changeCredential({ credential_id: id, ...fields }, office.write));
      const { terminal, json, language } = office;
      if (json) terminal.json(changed);
      else for (const line of credentialLines(changed, language, terminal.paint.columns)) terminal.data(line);
      terminal.note(terminal.paintNote('dim', `request_id ${request_id}`));
    });
}
