import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../../client/index.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { partTime } from '../part-time.ts';
import { shellWord } from '../shell-word.ts';
import { interruptedStop, Stop } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { counted } from '../terminal/numbers.ts';
import { confirm } from '../terminal/prompts.ts';
import { checkFile, notWhole, PARTS, ROWS, readParts, type WholeBackup } from './read-file.ts';

type Restored = Answer<'restoreMunicipality'>;

/** Where a backup is restored to. */
export interface RestoreOptions {
  /** Undefined: the tenant that the backup names. */
  readonly tenant: string | undefined;
  readonly unasked: boolean;
}

const PART_BUDGET_MS = 300_000;
const PAUSE_MS = 1_000;

/** Restores a municipality from a file. */
export async function runRestore(office: Office, file: string, options: RestoreOptions): Promise<void> {
  const whole = await checkFile(file);
  const { municipality_code: code, tenant: before } = whole.header;
  const { tenant = before, unasked } = options;
  if (!unasked) await ask(office, whole, tenant);
  report(office, whole, tenant, await sendParts(office, file, whole, { code, tenant }));
}

/** Throws an unfinished restore away. */
export async function discardRestore(office: Office, code: string, unasked: boolean): Promise<void> {
  if (!unasked) {
    const question = {
      en: `Throw away the unfinished restore of ${code}?`,
      it: `Eliminare quanto ripristinato finora di ${code}?`,
    };
    await confirm(office, question, null);
  }
  for (;;) {
    const { state } = await office.answer(office.client.discardRestore({ code }, office.write));
    if (state === 'discarded') break;
    await pause(office);
  }
  if (office.json) office.terminal.json({ municipality_code: code, state: 'discarded' });
  else office.terminal.data(office.say({ en: 'Thrown away.', it: 'Eliminato.' }));
}

interface Target {
  readonly code: string;
  readonly tenant: string;
}

async function sendParts(
  office: Office,
  file: string,
  whole: WholeBackup,
  target: Target,
): Promise<Restored> {
  const live = new Live(office.terminal, 'stderr');
  let isFirst = true;
  try {
    for await (const { header, end, text } of readParts(file)) {
      do {
        live.show(`${header.part}/${counted(whole.parts, PARTS, office.language)}`);
        const answer = await sendPart(office, target, text, isFirst);
        isFirst = false;
        if (answer.state === 'done') return answer;
        // Between two tries of the last part: the service has all rows, and continues by itself.
        if (!end.more) await pause(office);
        if (office.signal.aborted) throw unfinished(target.code, interruptedStop());
      } while (!end.more);
    }
  } finally {
    live.clear();
  }
  // It was whole when it was checked.
  throw notWhole(file);
}

/** Sends a part, with retries while its time lasts. It waits for the answer even after Ctrl-C. */
async function sendPart(
  { client, write, environment }: Office,
  target: Target,
  part: string,
  isFirst: boolean,
): Promise<Restored> {
  const options = { budgetMs: PART_BUDGET_MS, ...write, ...partTime(environment) };
  const result = await client.restoreMunicipality({ ...target, part }, options);
  if (result.ok) return result.answer;
  // A part that was taken before gets the same answer: if the first one is refused, no restore has begun.
  if (isFirst && result.failure === 'refused') throw stopOf(result);
  throw unfinished(target.code, stopOf(result));
}

async function pause({ signal }: Office): Promise<void> {
  await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
}

async function ask(office: Office, { header, parts, rows }: WholeBackup, tenant: string): Promise<void> {
  const { municipality_code: code, begun_at } = header;
  const sums = (language: 'en' | 'it') =>
    `${counted(parts, PARTS, language)}, ${counted(rows, ROWS, language)}`;
  const question = {
    en: `Restore ${code} of ${tenant} from the backup of ${begun_at} (${sums('en')})? Once it is done it cannot be undone, and what came after the backup has to be imported again.`,
    it: `Ripristinare ${code} di ${tenant} dalla copia del ${begun_at} (${sums('it')})? Una volta concluso non si può annullare, e ciò che è arrivato dopo la copia va importato di nuovo.`,
  };
  await confirm(office, question, code);
}

/** The restored rows cannot be read before the end. */
function unfinished(code: string, stop: Stop): Stop {
  const { advice, ...details } = stop.details;
  const discard = `parking restore --discard ${shellWord(code)}`;
  const goOn = {
    en: `The restore is not done, and the municipality cannot be read. Run the same command again to continue; \`${discard}\` throws it away.`,
    it: `Non è concluso e non se ne può ancora leggere nulla. Lo stesso comando ripetuto prosegue; \`${discard}\` lo elimina.`,
  };
  const both = advice === undefined ? goOn : { en: `${advice.en} ${goOn.en}`, it: `${advice.it} ${goOn.it}` };
  return new Stop(stop.exitCode, stop.text, { ...details, advice: both });
}

function report(office: Office, { header, parts }: WholeBackup, tenant: string, done: Restored): void {
  const { municipality_code } = header;
  const { terminal, json, language } = office;
  if (json) {
    const { state, restored } = done;
    terminal.json({ municipality_code, tenant, parts, state, restored });
    return;
  }
  const rows = counted(done.restored, ROWS, language);
  terminal.data(
    office.say({
      en: `${municipality_code} is restored: ${rows}. Import the files since the backup.`,
      it: `${municipality_code} è ripristinato: ${rows}. Importare ciò che è arrivato dopo la copia.`,
    }),
  );
}
