import { type AnyCommand, commandOf, MUNICIPALITY, PLATE } from '../command.ts';
import type { Office } from '../office.ts';
import { euros } from '../terminal/numbers.ts';
import { fieldLines, tableLines } from '../terminal/table.ts';
import { statusText } from '../views/status-words.ts';

export function optionsCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'options',
    {
      en: 'Ask which subscription plans a plate can buy at a parking meter.',
      it: 'Chiede quali tariffe di abbonamento una targa può acquistare al parcometro.',
    },
    ['parking options AB123CD', 'parking options AB123CD --terminal METER-17 --json'],
  )
    .argument('<plate>', say(PLATE))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option(
      '-t, --terminal <code>',
      say({ en: 'code of the meter, for the call log', it: 'codice del parcometro, per il registro' }),
    )
    .action(async (plate, { municipality, terminal: meter }) => {
      const answer = await office.answer(
        office.client.findSubscriptionOptions(
          {
            plate,
            ...office.municipality(municipality),
            ...(meter !== undefined && { terminal_code: meter }),
          },
          office.call,
        ),
      );
      const { terminal, json } = office;
      if (json) {
        terminal.json(answer);
        return;
      }
      const head = fieldLines(
        [
          [say({ en: 'plate', it: 'targa' }), answer.plate],
          [say({ en: 'result', it: 'esito' }), `${answer.message} (${answer.result_code})`],
          [say({ en: 'operation', it: 'operazione' }), say(statusText('purchase', answer.operation))],
        ],
        terminal.paint.columns,
      );
      for (const line of head) terminal.data(line);
      if (answer.tariffe.length === 0) return;
      const rows = answer.tariffe.map((plan) => [
        plan.codice_tariffa,
        plan.descrizione,
        euros(plan.importo_eurocent, office.language),
        plan.scadenza,
      ]);
      const titles = [
        { title: say({ en: 'plan', it: 'tariffa' }) },
        { title: say({ en: 'description', it: 'descrizione' }) },
        { title: say({ en: 'price', it: 'importo' }), align: 'right' as const },
        { title: say({ en: 'expires', it: 'scadenza' }) },
      ];
      terminal.data('');
      for (const line of tableLines(titles, rows, terminal.paint)) terminal.data(line);
    });
}
