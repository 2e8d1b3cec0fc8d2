import { CommanderError } from '@commander-js/extra-typings';
import { TableError } from '../tables/table-error.ts';
import { tableStop } from './failure.ts';
import { Office } from './office.ts';
import { programOf } from './program.ts';
import { EXIT, type ExitCode, interruptedStop, Stop, wrongUsage } from './stop.ts';
import type { Streams } from './terminal.ts';

/** Runs the command of this process, and ends it with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const controller = new AbortController();
  const streams = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  };
  // After the first Ctrl-C the command reports its progress. The second one does not wait for that.
  process.once('SIGINT', () => {
    controller.abort();
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
  });
  process.once('SIGTERM', () => controller.abort());
  // The reader of our output may close it early: `parking report | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.usage);
  });

  process.exitCode = await run(args, streams, controller.signal);
}

/** Runs a command on any streams. Its signal is the user's Ctrl-C. */
export async function run(args: readonly string[], streams: Streams, signal: AbortSignal): Promise<ExitCode> {
  const office = new Office(streams, signal);
  try {
    office.begin({ json: args.includes('--json') ? true : undefined });
    await programOf(office).parseAsync([...args], { from: 'user' });
    for (const note of office.takeNotes()) office.terminal.note(note);
    return EXIT.done;
  } catch (error) {
    // Help and the version were asked for, and are printed.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const stop = stopFor(error, signal);
    tell(office, stop);
    return stop.exitCode;
  }
}

function stopFor(error: unknown, signal: AbortSignal): Stop {
  if (error instanceof Stop) return error;
  if (error instanceof TableError) return tableStop(error);
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'Name a command.' : error.message;
    return wrongUsage(message.replace(/^error: /, '').replace('\n', ' '), '`--help` shows how it is used.');
  }
  if (signal.aborted) return interruptedStop();
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Stop(EXIT.refused, `The command itself has failed: this is a bug. ${what}`);
}

/** Says why a command has ended, on standard error: as JSON if the output is JSON, too. */
function tell(office: Office, { message, exitCode, details }: Stop): void {
  const { terminal } = office;
  const { code, advice, requestId, lines } = details;
  if (office.json) {
    const notes = office.takeNotes();
    const report = {
      ...{ ok: false, exit_code: exitCode, code, message, advice },
      ...{ request_id: requestId, issues: lines, notes: notes.length > 0 ? notes : undefined },
    };
    terminal.json(report, 'stderr');
    return;
  }
  terminal.note(`parking: ${message}${code === undefined ? '' : ` (${code})`}`);
  for (const line of lines ?? []) terminal.note(`  ${line}`);
  if (advice !== undefined) terminal.note(advice);
  if (requestId !== undefined) terminal.note(`request_id ${requestId}`);
}
