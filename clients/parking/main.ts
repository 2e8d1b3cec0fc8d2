import { CommanderError } from '@commander-js/extra-typings';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { Office } from './office.ts';
import { programOf } from './program.ts';
import { interruptedStop, Stop } from './stop.ts';
import type { Streams } from './terminal/terminal.ts';
import { describeUsageError } from './usage-errors.ts';

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
    for (const note of office.takeNotes()) office.terminal.sentence(note);
    return EXIT.done;
  } catch (error) {
    return endWith(office, error);
  }
}

function endWith(office: Office, error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    // Help and the version were asked for, and are printed.
    if (error.exitCode === 0) return EXIT.done;
    tell(office, describeUsageError(error));
    return EXIT.usage;
  }
  if (error instanceof Stop) {
    tell(office, error);
    return error.exitCode;
  }
  if (office.signal.aborted) {
    tell(office, interruptedStop());
    return EXIT.interrupted;
  }
  tell(office, unexpectedStop(error));
  return EXIT.refused;
}

/** A bug of this command: the service may have acted or not. */
function unexpectedStop(error: unknown): Stop {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Stop(EXIT.refused, {
    en: `The command itself has failed: this is a bug. ${what}`,
    it: `Il comando stesso ha avuto un errore interno. ${what}`,
  });
}

/** Says why a command has ended, on standard error: as JSON if the output is JSON, too. */
function tell(office: Office, { text, exitCode, details }: Stop): void {
  const { terminal } = office;
  const { code, advice, requestId, lines } = details;
  if (office.json) {
    const notes = office.takeNotes();
    const report = {
      ok: false,
      exit_code: exitCode,
      ...(code !== undefined && { code }),
      message: office.say(text),
      ...(advice !== undefined && { advice: office.say(advice) }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...(lines !== undefined && { issues: lines }),
      ...(notes.length > 0 && { notes }),
    };
    terminal.jsonNote(report);
    return;
  }
  const label = terminal.paintNote(exitCode === EXIT.interrupted ? 'yellow' : 'red', 'parking:');
  terminal.sentence(`${label} ${office.say(text)}${code === undefined ? '' : ` (${code})`}`);
  for (const line of lines ?? []) terminal.sentence(`  ${line}`);
  if (advice !== undefined) terminal.sentence(office.say(advice));
  if (requestId !== undefined) terminal.note(terminal.paintNote('dim', `request_id ${requestId}`));
}
