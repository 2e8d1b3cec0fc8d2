import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function credentialListCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'list',
    {
      en: 'List the credentials, oldest first. No secret is shown.',
      it: 'Elenca le credenziali, dalla più vecchia. Nessun segreto viene mostrato.',
    },
    ['parking credential list --tenant acme', 'parking credential list --json | jq -r ".[].credential_id"'],
  )
    .option('--tenant <code>', say({ en: 'of this tenant', it: 'di questo ente' }))
    .option('-m, --municipality <code>', say({ en: 'for this municipality', it: 'per questo comune' }))
    .action(async ({ tenant, municipality }) => {
      const { allCredentials } = await import('../credentials.ts');
      const { credentialTable } = await import('../views/credential.ts');
      const filter = {
        ...(tenant !== undefined && { tenant }),
        ...(municipality !== undefined && { municipality_code: municipality }),
      };
      const credentials = [];
      for await (const credential of allCredentials(office, filter)) credentials.push(credential);
      const { terminal, json } = office;
      if (json) {
        terminal.json(credentials);
        return;
      }
      for (const line of credentialTable(credentials, say, terminal.paint)) terminal.data(line);
    });
}
