import type { ImportTotals } from '../../client/index.ts';
import type { KindName } from '../../tables/index.ts';
import { confirm } from '../ask.ts';
import { stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { cellOf, shownTime } from '../print.ts';
import type { RecordMunicipality } from './held.ts';
import { refusal, say } from './say.ts';

/** A session or a subscription, as an import's line has it. */
type RecordLine = Readonly<Record<string, unknown>>;

/** One record to be imported. */
interface Change {
  readonly kind: KindName;
  readonly city: RecordMunicipality;
  /** Of a session. */
  readonly source?: string;
  readonly before: RecordLine | null;
  /** As it will be stored. */
  readonly after: RecordLine;
  /** The line that makes it so. */
  readonly line: RecordLine;
  /** Remarks for the clerk before the answer. */
  readonly warning: string;
  /** The text to type if the change may have effects that are not shown; null: a yes is enough. */
  readonly name: string | null;
  /** Looks the record up again: the question may have waited for a while. */
  readonly lookAgain: () => Promise<RecordLine | null>;
}

/**
 * Shows a record before and after a change, asks, and imports it as one line.
 *
 * @throws Stop if the service would not take it, if it has changed meanwhile, or for a no
 */
export async function changeRecord(office: Office, change: Change, unasked: boolean): Promise<void> {
  const { before, after, warning, name } = change;
  requireTaken(office, await sent(office, change, true));
  // Never ask about a change that was not shown.
  if (!office.json || !unasked) {
    const rows = Object.keys(after).map((property) => {
      const [old, now] = [cellOf(before?.[property]), cellOf(after[property])];
      return { '': old === now ? '' : '≠', property, before: old, after: now };
    });
    office.terminal.table(rows, ['', 'property', 'before', 'after'], 'stderr');
    if (warning !== '') office.terminal.note(warning);
  }
  if (!unasked) {
    await confirm(office, say(office, { en: 'Import it like this?', it: 'Importarlo così?' }), name);
    if (JSON.stringify(await change.lookAgain()) !== JSON.stringify(before)) {
      throw refusal(office, CHANGED_MEANWHILE);
    }
  }
  const totals = await sent(office, change, false);
  requireTaken(office, totals);
  if (before === null && totals.updated > 0) throw refusal(office, REPLACED_ANOTHER);
  if (totals.created + totals.updated === 0) throw refusal(office, NOTHING_CHANGED);
  if (office.json) office.terminal.json({ before, after });
  else office.terminal.data(say(office, { en: 'Done.', it: 'Fatto.' }));
}

/** Imports the line, or has it judged. Looking up takes an office's token, an import one that may import. */
async function sent(
  office: Office,
  { kind, city, source, line }: Change,
  dry_run: boolean,
): Promise<ImportTotals> {
  const { client, write } = office;
  const place = { municipality_code: city.code, dry_run };
  const result =
    kind === 'sessions'
      ? await client.importSessions(
          { lines: [line] },
          { ...place, ...(source !== undefined && { source_code: source }) },
          write,
        )
      : await client.importSubscriptions({ lines: [line] }, place, write);
  if (!result.ok) throw stopOf(result);
  return result.answer;
}

function requireTaken(office: Office, { errors: [error] }: ImportTotals): void {
  if (error === undefined) return;
  const { code, message } = error;
  throw refusal(office, { en: message, it: message }, { code });
}

/** @throws Stop if the record ends earlier anyway: ending it now would make it longer */
export function requireEarlier(office: Office, end: string, before: string | null): void {
  if (before === null || Date.parse(end) < Date.parse(before)) return;
  throw refusal(office, {
    en: `It already ends before that: ${shownTime(before)}. To extend it, import its line.`,
    it: `Per allora è già finito: ${shownTime(before)}. Per prolungarlo, importare la sua riga.`,
  });
}

const CHANGED_MEANWHILE = {
  en: 'It has changed since it was shown. Nothing was done: run the command again.',
  it: 'È cambiato da quando è stato mostrato. Nulla è stato fatto: ripetere il comando.',
};

const REPLACED_ANOTHER = {
  en: 'A subscription with this number was stored meanwhile, and this one has replaced it. Import the other again under a number of its own.',
  it: 'Nel frattempo era stato salvato un abbonamento con questo numero: questo lo ha sostituito. Importare di nuovo l’altro con un numero proprio.',
};

const NOTHING_CHANGED = {
  en: 'Nothing was changed: the same is stored already, or something newer.',
  it: 'Nulla è cambiato: lo stesso, o qualcosa di più recente, è già salvato.',
};
