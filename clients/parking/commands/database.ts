import type { Answer } from '../../client/index.ts';
import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { interrupted, type Stop } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { type Counted, counted } from '../terminal/numbers.ts';
import { harmless, tableLines } from '../terminal/table.ts';
import { statusText } from '../views/status-words.ts';

type Move = Answer<'moveMunicipality'>;

const MIB = 1_024 * 1_024;
const COPIED: Counted = [
  { en: 'row copied', it: 'riga copiata' },
  { en: 'rows copied', it: 'righe copiate' },
];
const LEFT: Counted = [
  { en: 'left', it: 'rimasta' },
  { en: 'left', it: 'rimaste' },
];

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
      harmless(name),
      `${(size / MIB).toFixed(1)} MiB`,
      harmless(municipalities.join(', ')),
    ]);
    const titles = [
      { title: office.say({ en: 'database', it: 'database' }) },
      { title: office.say({ en: 'size', it: 'dimensione' }), align: 'right' as const },
      { title: office.say({ en: 'municipalities', it: 'comuni' }) },
    ];
    for (const line of tableLines(titles, rows, (title) => terminal.paint('dim', title))) terminal.data(line);
  });
}

export function databaseMoveCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'move',
    {
      en: 'Move a municipality to another database. It goes on after being broken off: run it again.',
      it: 'Sposta un comune in un altro database. Se interrotto, prosegue: eseguirlo di nuovo.',
    },
    ['parking database move H501 --to DB_2'],
  )
    .argument('<municipality>', say({ en: 'its code', it: 'il suo codice' }))
    .requiredOption('--to <database>', say({ en: 'name of the database', it: 'nome del database' }))
    .action(async (code, { to }) => {
      const live = new Live(office.terminal, 'stderr');
      try {
        const last = await moved(office, code, to, (move) => live.show(progressOf(office, move)));
        live.clear();
        if (office.json) office.terminal.json(last);
        else office.terminal.data(progressOf(office, last));
      } finally {
        live.clear();
      }
    });
}

/** Calls until it is done. Each call does a part. */
async function moved(office: Office, code: string, to: string, told: (move: Move) => void): Promise<Move> {
  for (;;) {
    const move = await office.answer(office.client.moveMunicipality({ code, to }, office.write));
    if (move.state === 'done') return move;
    told(move);
    if (office.signal.aborted) throw stoppedOnTheWay();
  }
}

function progressOf(office: Office, { state, copied, remaining }: Move): string {
  const { language } = office;
  const done = counted(copied, COPIED, language);
  const left = counted(remaining, LEFT, language);
  return `${statusText('move', state)[language]}: ${done}, ${left}`;
}

const stoppedOnTheWay = (): Stop =>
  interrupted({
    advice: {
      en: 'The move goes on where it stopped when the same command is run again. Until then the municipality stays where it is.',
      it: 'Lo spostamento riprende da dove si è fermato ripetendo lo stesso comando. Fino ad allora il comune resta dov’è.',
    },
  });
