import { type AnyCommand, commandOf, Option, seconds } from '../command.ts';
import type { Office } from '../office.ts';
import { CREDENTIAL_ID_WORDS } from './credential-show.ts';

/** A working day to hand the new pair out: ending the old one at once would lock the fleet out. */
const USUAL_OVERLAP_SECONDS = 86_400;

const endsNow = (id: string) => ({
  en: `Rotate ${id}? Callers with the old secrets are refused from now on.`,
  it: `Ruotare ${id}? Chi usa i vecchi segreti sarà rifiutato da subito.`,
});
const endsLater = (id: string) => ({
  en: `Rotate ${id}? Its callers need the new secrets before the old ones end.`,
  it: `Ruotare ${id}? Chi la usa avrà bisogno dei nuovi segreti prima che scadano i vecchi.`,
});

export function credentialRotateCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'rotate',
    {
      en: 'Make a new pair of secrets, after asking. The old pair passes for 24 hours more, unless --now is given.',
      it: 'Crea una nuova coppia di segreti, dopo conferma. La vecchia vale ancora 24 ore, salvo --now.',
    },
    [
      'parking credential rotate 0123456789abcdef01234567 --overlap 7d --out new.json',
      'parking credential rotate 0123456789abcdef01234567 --now --out new.json',
    ],
  )
    .argument('<id>', say(CREDENTIAL_ID_WORDS))
    .addOption(
      new Option(
        '--overlap <duration>',
        say({
          en: 'how long the old pair passes too: 12h, at most 7d (default: 24h)',
          it: 'per quanto vale anche la vecchia coppia: 12h, al massimo 7d (predefinito: 24h)',
        }),
      )
        .argParser(seconds)
        .conflicts('now'),
    )
    .option(
      '--now',
      say({
        en: 'end the old pair at once: its callers are refused',
        it: 'la vecchia coppia termina subito: chi la usa è rifiutato',
      }),
    )
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .option(
      '-o, --out <file>',
      say({
        en: 'write the secrets there (mode 600), and show none',
        it: 'scrive lì i segreti (modo 600), senza mostrarli',
      }),
    )
    .action(async (id, { overlap, now, yes, out }) => {
      const { handOver } = await import('../secrets/hand-over.ts');
      const { confirm } = await import('../terminal/prompts.ts');
      const overlapSeconds = now ? 0 : (overlap ?? USUAL_OVERLAP_SECONDS);
      if (!yes) {
        await confirm(office, overlapSeconds === 0 ? endsNow(id) : endsLater(id), id);
      }
      await handOver(office, out, () =>
        office.client.rotateCredential({ credential_id: id, overlap_seconds: overlapSeconds }, office.write),
      );
    });
}
