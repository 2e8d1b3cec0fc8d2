import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { fieldLines } from '../terminal/table.ts';

export function callCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'call',
    {
      en: 'Look a call up in the call log by its request id.',
      it: 'Cerca una chiamata nel registro con il suo id di richiesta.',
    },
    ['parking call 650cefe7-017b-4736-b116-d259726256f7'],
  )
    .argument(
      '<request-id>',
      office.say({ en: 'the request_id of its answer', it: 'il request_id della sua risposta' }),
    )
    .action(async (id) => {
      const { call } = await office.answer(office.client.getCall({ request_id: id }, office.call));
      const { terminal, json } = office;
      if (json) {
        terminal.json(call);
        return;
      }
      const shown = (value: unknown): string =>
        typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '–');
      const fields = Object.entries(call).map(([name, value]): [string, string] => [name, shown(value)]);
      for (const line of fieldLines(fields)) terminal.data(line);
    });
}
