import type { Client, Result } from '../../client/index.ts';
import { type AnyCommand, commandOf } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { interrupted, Stop } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { grouped } from '../terminal/numbers.ts';
import { harmless, tableLines } from '../terminal/table.ts';

/** What an answer of these operations holds. A service with one database may not have them, nor its client. */
interface Database {
  readonly name: string;
  readonly municipalities: readonly string[];
  readonly size_bytes: number | null;
}
interface Move {
  readonly state: 'copying' | 'switching' | 'cleaning' | 'done';
  readonly copied: number;
  readonly remaining: number;
}
type Operation = (input: object, call: Office['write']) => Promise<Result<unknown>>;

const MIB = 1_024 * 1_024;

export function databaseListCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'list',
    { en: 'List the databases, the home first.', it: 'Elenca i database, prima quello principale.' },
    ['parking database list'],
  ).action(async () => {
    const answer = await answerOf(office, 'listDatabases', {});
    // The client has held the answer to its description.
    const { databases } = answer as { databases: readonly Database[] };
    const { terminal, json } = office;
    if (json) {
      terminal.json(databases);
      return;
    }
    const rows = databases.map(({ name, municipalities, size_bytes: size }) => [
      harmless(name),
      size === null ? '–' : `${(size / MIB).toFixed(1)} MiB`,
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
    const answer = await answerOf(office, 'moveMunicipality', { code, to });
    const move = answer as Move;
    if (move.state === 'done') return move;
    told(move);
    if (office.signal.aborted) throw stoppedOnTheWay();
  }
}

function progressOf(office: Office, { state, copied, remaining }: Move): string {
  const [done, left] = [grouped(copied, office.language), grouped(remaining, office.language)];
  return office.say({
    en: `${state}: ${done} rows copied, ${left} left`,
    it: `${state}: ${done} righe copiate, ${left} rimaste`,
  });
}

/** @throws Stop for a service, or a client, that does not know the operation */
async function answerOf(office: Office, id: string, input: object): Promise<unknown> {
  const operation = operationOf(office.client, id);
  if (operation === null) throw unknownHere();
  const result = await operation(input, office.write);
  if (result.ok) return result.answer;
  // No answer of the service to this path names what is missing: the path itself is.
  if (result.code === 'NOT_FOUND' || result.code === 'METHOD_NOT_ALLOWED') throw unknownHere();
  throw stopOf(result);
}

function operationOf(client: Client, id: string): Operation | null {
  const found: unknown = Reflect.get(client, id);
  return typeof found === 'function' ? (found as Operation) : null;
}

const stoppedOnTheWay = (): Stop =>
  interrupted({
    advice: {
      en: 'The move goes on where it stopped when the same command is run again. Until then the municipality stays where it is.',
      it: 'Lo spostamento riprende da dove si è fermato ripetendo lo stesso comando. Fino ad allora il comune resta dov’è.',
    },
  });

const unknownHere = (): Stop =>
  new Stop(
    EXIT.refused,
    {
      en: 'This service has one database, or does not know of several: there is nothing to list or move.',
      it: 'Questo servizio ha un solo database, o non ne conosce altri: non c’è nulla da elencare o spostare.',
    },
    { code: 'NOT_FOUND' },
  );
