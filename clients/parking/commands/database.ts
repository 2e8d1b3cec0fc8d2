import { setTimeout } from 'node:timers/promises';
import type { Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { interruptedStop, type Stop, wrongUsage } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { type Counted, counted } from '../terminal/numbers.ts';
import { tableLines } from '../terminal/table.ts';
import { statusText } from '../views/status-words.ts';

type Move = Answer<'moveMunicipality'>;
type CallOff = Answer<'callOffMove'>;

const PAUSE_MS = 1_000;
const MIB = 1_024 * 1_024;
const COPIED: Counted = [
  { en: 'row copied', it: 'riga copiata' },
  { en: 'rows copied', it: 'righe copiate' },
];
const LEFT: Counted = [
  { en: 'left', it: 'rimasta' },
  { en: 'left', it: 'rimaste' },
];

const TO_OR_CALL_OFF: Text = {
  en: 'Either --to says where it is to go, or --call-off calls its move off.',
  it: 'Indicare la destinazione con --to, oppure annullare lo spostamento con --call-off.',
};

export function databaseListCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'list',
    { en: 'List the databases, the home first.', it: 'Elenca i database, prima quello principale.' },
    ['parking database list'],
  ).action(async () => {
    const { databases } = await office.answer(office.client.listDatabases({}, office.call));
    const { terminal, json } = office;
    if (json) {
      terminal.json(databases);
      return;
    }
    const rows = databases.map(({ name, municipalities, size_bytes: size }) => [
      name,
      size === null ? office.say({ en: 'away', it: 'non raggiungibile' }) : `${(size / MIB).toFixed(1)} MiB`,
      municipalities.join(', '),
    ]);
    const titles = [
      { title: office.say({ en: 'database', it: 'database' }) },
      { title: office.say({ en: 'size', it: 'dimensione' }), align: 'right' as const },
      { title: office.say({ en: 'municipalities', it: 'comuni' }) },
    ];
    for (const line of tableLines(titles, rows, terminal.paint)) terminal.data(line);
  });
}

export function databaseMoveCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'move',
    {
      en: 'Move a municipality to another database. To continue an interrupted move, run it again.',
      it: 'Sposta un comune in un altro database. Se interrotto, prosegue: eseguirlo di nuovo.',
    },
    ['parking database move H501 --to DB_2', 'parking database move H501 --call-off'],
  )
    .argument('<municipality>', say({ en: 'its code', it: 'il suo codice' }))
    .option('--to <database>', say({ en: 'name of the database', it: 'nome del database' }))
    .option(
      '--call-off',
      say({
        en: 'call off the move that is under way: the municipality stays where it is',
        it: 'annulla lo spostamento in corso: il comune resta dov’è',
      }),
    )
    .action(async (code, { to, callOff }) => {
      if ((to === undefined) === (callOff === undefined)) throw wrongUsage(TO_OR_CALL_OFF);
      const live = new Live(office.terminal, 'stderr');
      const show = (part: Move | CallOff) => live.show(progressOf(office, part));
      try {
        const last = await (to === undefined
          ? callOffToEnd(office, code, show)
          : moveToEnd(office, code, to, show));
        live.clear();
        if (office.json) office.terminal.json(last);
        else office.terminal.data(progressOf(office, last));
      } finally {
        live.clear();
      }
    });
}

/** Calls until it is done. Each call does a part. */
async function moveToEnd(
  office: Office,
  code: string,
  to: string,
  report: (move: Move) => void,
): Promise<Move> {
  for (;;) {
    const move = await office.answer(office.client.moveMunicipality({ code, to }, office.write));
    if (move.state === 'done') return move;
    report(move);
    await pause(office);
  }
}

/** Calls until it is called off. Each call deletes a part of the copy. */
async function callOffToEnd(office: Office, code: string, report: (part: CallOff) => void): Promise<CallOff> {
  for (;;) {
    const part = await office.answer(office.client.callOffMove({ code }, office.write));
    if (part.state === 'called_off') return part;
    report(part);
    await pause(office);
  }
}

/** The pause between two calls, so that short calls do not follow each other without a break. */
async function pause({ signal }: Office): Promise<void> {
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
  if (signal.aborted) throw stoppedOnTheWay();
}

function progressOf(office: Office, part: Move | CallOff): string {
  const { language } = office;
  const state = statusText('move', part.state)[language];
  if (!('copied' in part)) return state;
  const done = counted(part.copied, COPIED, language);
  const left = counted(part.remaining, LEFT, language);
  return `${state}: ${done}, ${left}`;
}

const stoppedOnTheWay = (): Stop =>
  interruptedStop({
    advice: {
      en: 'Run the same command again to continue. Until then the municipality stays in its database.',
      it: 'Riprende da dove si è fermato ripetendo lo stesso comando. Fino ad allora il comune resta dov’è.',
    },
  });
