import { withSteeringShown } from '../../src/base/text/text.ts';
import type { Office } from './office.ts';
import { EXIT, interruptedStop, Stop, wrongUsage } from './stop.ts';

/**
 * Asks for confirmation. The answer is typed out, so that a stray key does not count.
 *
 * @param unasked whether the user has said yes already
 * @param name to be typed before an action that cannot be undone; null: a yes is enough
 * @throws Stop when the answer is no, or there is no terminal
 */
export async function confirm(
  office: Office,
  unasked: boolean,
  question: string,
  name: string | null,
): Promise<void> {
  if (unasked) return;
  if (!office.terminal.canAsk) {
    throw wrongUsage(
      'There is no terminal to ask on: pass --yes to go ahead without being asked. Nothing was changed.',
    );
  }
  const typed = withSteeringShown(name ?? 'yes');
  const answer = await askFor(office, `${question}\nType ${typed} to do it.`);
  if (answer !== typed) throw new Stop(EXIT.refused, 'Nothing was changed.');
}

/** Asks for a text that is shown. */
export const askFor = (office: Office, question: string, initial?: string): Promise<string> =>
  answerOf(office, ({ text }, streams) =>
    text({
      ...streams,
      message: shown(question),
      ...(initial !== undefined && { initialValue: withSteeringShown(initial) }),
    }),
  );

/** Asks for a text that is not shown. */
export const askSecret = (office: Office, question: string): Promise<string> =>
  answerOf(office, ({ password }, streams) => password({ ...streams, message: shown(question) }));

const shown = (question: string): string => question.split('\n').map(withSteeringShown).join('\n');

/**
 * Questions go to standard error: standard output is for data. Ctrl-D and a closed terminal cancel a question
 * as Ctrl-C does: the library only stops reading then, and its promise never settles.
 */
async function answerOf(
  { terminal, signal }: Office,
  ask: (
    prompts: typeof import('@clack/prompts'),
    streams: {
      readonly input: NodeJS.ReadStream;
      readonly output: NodeJS.WriteStream;
      readonly signal: AbortSignal;
    },
  ) => Promise<string | symbol | undefined>,
): Promise<string> {
  const prompts = await import('@clack/prompts');
  const { stdin: input, stderr: output } = terminal;
  const closed = new AbortController();
  const close = () => closed.abort();
  const closeOnCtrlD = (_: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') close();
  };
  input.on('end', close).on('close', close).on('keypress', closeOnCtrlD);
  try {
    const answer = await ask(prompts, { input, output, signal: AbortSignal.any([signal, closed.signal]) });
    if (typeof answer === 'symbol') throw interruptedStop();
    return (answer ?? '').trim();
  } finally {
    input.off('end', close).off('close', close).off('keypress', closeOnCtrlD);
  }
}
