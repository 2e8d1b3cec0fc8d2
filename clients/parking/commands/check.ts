import { type AnyCommand, AREA, commandOf, MUNICIPALITY, Option, PLATE } from '../command.ts';
import type { Office } from '../office.ts';
import { EVENTS } from '../wire-names.ts';

export function checkCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'check',
    {
      en: 'Ask whether a plate may park. A plate without any entitlement is an answer: the exit code is 0.',
      it: 'Chiede se una targa può sostare. Una targa senza titoli è una risposta: il codice di uscita è 0.',
    },
    [
      'parking check "AB 123 CD"',
      'parking check AB123CD --area P1 --event entry',
      'parking check AB123CD --json | jq .has_valid_entitlement',
    ],
  )
    .argument('<plate>', say(PLATE))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-a, --area <code>', say(AREA))
    .addOption(
      new Option(
        '-e, --event <event>',
        say({ en: 'what happens at the gate', it: 'che cosa avviene al varco' }),
      ).choices(EVENTS),
    )
    .option(
      '--at <instant>',
      say({
        en: 'another instant than now: 2026-03-07 17:44',
        it: 'un istante diverso da ora: 2026-03-07 17:44',
      }),
    )
    .action(async (plate, { municipality, area, event, at }) => {
      const { checkLines } = await import('../views/check.ts');
      const { askedInstant } = await import('../time/asked-time.ts');
      const checkedAt = at === undefined ? undefined : await askedInstant(office, at, municipality);
      const answer = await office.answer(
        office.client.checkPlate(
          {
            plate,
            ...office.municipality(municipality),
            ...(area !== undefined && { area_code: area }),
            ...(event !== undefined && { event }),
            ...(checkedAt !== undefined && { checked_at: checkedAt }),
          },
          office.call,
        ),
      );
      const { terminal, json, language } = office;
      if (json) {
        terminal.json(answer);
        return;
      }
      for (const line of checkLines(answer, language, terminal.paint)) terminal.data(line);
    });
}
