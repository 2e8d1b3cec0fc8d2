import { type AnyCommand, commandOf, seconds } from '../command.ts';
import type { Office } from '../office.ts';
import { CREDENTIAL_ID_WORDS } from './credential-show.ts';

export function credentialRotateCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'rotate',
    {
      en: 'Make a new pair of secrets. The old pair ends at once, or after the overlap.',
      it: 'Crea una nuova coppia di segreti. La vecchia termina subito, o dopo la sovrapposizione.',
    },
    ['parking credential rotate 0123456789abcdef01234567 --overlap 7d --out new.json'],
  )
    .argument('<id>', say(CREDENTIAL_ID_WORDS))
    .option(
      '--overlap <time>',
      say({
        en: 'how long the old pair passes too: 12h, at most 7d',
        it: 'per quanto vale anche la vecchia coppia: 12h, al massimo 7d',
      }),
      seconds,
      0,
    )
    .option(
      '-o, --out <file>',
      say({
        en: 'write the secrets there (mode 600), and show none',
        it: 'scrive lì i segreti (modo 600), senza mostrarli',
      }),
    )
    .action(async (id, { overlap, out }) => {
      const { handOver } = await import('../secrets/hand-over.ts');
      await handOver(office, out, () =>
        office.client.rotateCredential({ credential_id: id, overlap_seconds: overlap }, office.write),
      );
    });
}
