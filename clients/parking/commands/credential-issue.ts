import { type AnyCommand, commandOf, Option, TENANT } from '../command.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { LOCATIONS } from '../wire-names.ts';
import { credentialFields, withCredentialOptions } from './credential-options.ts';

export function credentialIssueCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  const command = commandOf(
    office,
    'issue',
    {
      en: 'Issue a credential. It needs --name, --scope and --municipality. Its secrets are shown once: in a terminal, or in a file for you alone.',
      it: 'Emette una credenziale. Servono --name, --scope e --municipality. I segreti si vedono una volta: in un terminale, o in un file solo per te.',
    },
    [
      'parking credential issue --tenant acme --name "Barrier P1" --scope plate_check,entitlement_list --municipality H501 --area P1',
      'parking credential issue --tenant acme --name App --scope import --municipality H501 --source app1 --out app1.json',
    ],
  );
  return withCredentialOptions(office, command)
    .option('--tenant <code>', say(TENANT))
    .addOption(
      new Option(
        '--location <hint>',
        say({ en: 'where it is used most', it: 'dove è usata di più' }),
      ).choices(LOCATIONS),
    )
    .option(
      '-o, --out <file>',
      say({
        en: 'write the secrets there (mode 600), and show none',
        it: 'scrive lì i segreti (modo 600), senza mostrarli',
      }),
    )
    .action(async ({ tenant, location, out, ...options }) => {
      const { handOver } = await import('../secrets/hand-over.ts');
      const { name, scopes, municipalities, ...optional } = credentialFields(options);
      if (name === undefined || scopes === undefined || municipalities === undefined) {
        throw wrongUsage({
          en: 'Say --name, --scope and --municipality, too.',
          it: 'Indicare anche --name, --scope e --municipality.',
        });
      }
      const input = {
        ...(tenant !== undefined && { tenant }),
        name,
        scopes,
        municipalities,
        ...optional,
        ...(location !== undefined && { location }),
      };
      await handOver(office, out, () => office.client.issueCredential(input, office.write));
    });
}
