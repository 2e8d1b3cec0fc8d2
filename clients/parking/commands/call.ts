import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

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
      const { callLines } = await import('../views/call.ts');
      for (const line of callLines(call, office.language, terminal.paint.columns)) terminal.data(line);
    });
}
