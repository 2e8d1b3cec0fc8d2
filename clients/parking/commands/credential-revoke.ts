import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { CREDENTIAL_ID_WORDS } from './credential-show.ts';

export function credentialRevokeCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'revoke',
    {
      en: 'Revoke a credential, for good, after asking.',
      it: 'Revoca una credenziale, per sempre, dopo conferma.',
    },
    ['parking credential revoke 0123456789abcdef01234567 --yes'],
  )
    .argument('<id>', office.say(CREDENTIAL_ID_WORDS))
    .option('-y, --yes', office.say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (id, { yes }) => {
      const { confirm } = await import('../terminal/prompts.ts');
      const { credentialLines } = await import('../views/credential.ts');
      if (!yes) {
        const question = {
          en: `Revoke ${id}? All its callers are refused from now on, for good.`,
          it: `Revocare ${id}? Chi la usa sarà rifiutato da subito, per sempre.`,
        };
        await confirm(office, question, id);
      }
      const {
        success: _,
        ok: __,
        request_id,
        ...revoked
      } = await office.answer(office.client.revokeCredential({ credential_id: id }, office.write));
      const { terminal, json, language } = office;
      if (json) terminal.json(revoked);
      else for (const line of credentialLines(revoked, language, terminal.paint.columns)) terminal.data(line);
      terminal.note(terminal.paintNote('dim', `request_id ${request_id}`));
    });
}
