import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../../client/index.ts';
import { confirm } from '../ask.ts';
import { checkFile, notWhole, readParts } from '../backup-file.ts';
import { type AnyCommand, commandOf, yesOption } from '../command.ts';
import { stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { shellWord } from '../shell-word.ts';
import { interruptedStop, Stop, wrongUsage } from '../stop.ts';

type Restored = Answer<'restoreMunicipality'>;

const PART_BUDGET_MS = 300_000;
const PAUSE_MS = 1_000;

export const restoreCommand = (office: Office): AnyCommand =>
  commandOf(
    'restore',
    'Restore a municipality from a file of `parking backup`, after asking. To continue an interrupted restore, run it again. Nothing is restored over a city that is there.',
    [
      'parking restore h501.ndjson.gz',
      'parking restore h501.ndjson.gz --tenant acme --yes',
      'parking restore --discard H501',
    ],
  )
    .argument('[file]', 'a file of `parking backup`')
    .option('--tenant <code>', 'the tenant that gets it (default: the one that it had)')
    .option('--discard <municipality>', 'throw away a restore that is not done')
    .addOption(yesOption())
    .action(async (file, { tenant, discard, yes }) => {
      if (file !== undefined && discard === undefined) await restore(office, file, tenant, yes);
      else if (file === undefined && discard !== undefined) await discardRestore(office, discard, yes);
      else {
        throw wrongUsage(
          'Give either the file of a backup, or --discard with the municipality whose restore is to be thrown away.',
        );
      }
    });

/**
 * Restores a municipality from a file.
 *
 * @param given undefined: the tenant that the backup names
 */
async function restore(
  office: Office,
  file: string,
  given: string | undefined,
  unasked: boolean,
): Promise<void> {
  const { header, parts, rows } = await checkFile(file);
  const { municipality_code: code, begun_at } = header;
  const tenant = given ?? header.tenant;
  await confirm(
    office,
    unasked,
    `Restore ${code} of ${tenant} from the backup of ${begun_at} (${parts} parts, ${rows} rows)? Once it is done it cannot be undone, and what came after the backup has to be imported again.`,
    code,
  );
  const { state, restored } = await sendParts(office, file, parts, { code, tenant }).finally(() =>
    office.terminal.progress(null),
  );
  office.show({ municipality_code: code, tenant, parts, state, restored });
}

/** Throws an unfinished restore away. */
async function discardRestore(office: Office, code: string, unasked: boolean): Promise<void> {
  await confirm(office, unasked, `Throw away the unfinished restore of ${code}?`, null);
  for (;;) {
    const { state } = await office.answer(office.client.discardRestore({ code }));
    if (state === 'done') break;
    await pause(office);
  }
  office.show({ municipality_code: code, state: 'discarded' });
}

interface Target {
  readonly code: string;
  readonly tenant: string;
}

async function sendParts(office: Office, file: string, parts: number, target: Target): Promise<Restored> {
  let isFirst = true;
  for await (const { header, end, text } of readParts(file)) {
    do {
      office.terminal.progress(`part ${header.part} of ${parts}`);
      const answer = await sendPart(office, target, text, isFirst);
      isFirst = false;
      if (answer.state === 'done') return answer;
      // Between two tries of the last part: the service has all rows, and continues by itself.
      if (!end.more) await pause(office);
      if (office.signal.aborted) throw unfinished(target.code, interruptedStop());
    } while (!end.more);
  }
  // It was whole when it was checked.
  throw notWhole(file);
}

/** Sends a part, with retries while its time lasts. It waits for the answer even after Ctrl-C. */
async function sendPart(
  { client, partTime }: Office,
  target: Target,
  part: string,
  isFirst: boolean,
): Promise<Restored> {
  const options = { budgetMs: PART_BUDGET_MS, ...partTime };
  const result = await client.restoreMunicipality({ ...target, part }, options);
  if (result.ok) return result.answer;
  // A part that was taken before gets the same answer: if the first one is refused, no restore has begun.
  if (isFirst && result.failure === 'refused') throw stopOf(result);
  throw unfinished(target.code, stopOf(result));
}

async function pause({ signal }: Office): Promise<void> {
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
}

/** The restored rows cannot be read before the end. */
function unfinished(code: string, { exitCode, message, details }: Stop): Stop {
  const goOn = `The restore is not done, and the municipality cannot be read. Run the same command again to continue; \`parking restore --discard ${shellWord(code)}\` throws it away.`;
  const advice = [details.advice, goOn].filter((text) => text !== undefined).join(' ');
  return new Stop(exitCode, message, { ...details, advice });
}
