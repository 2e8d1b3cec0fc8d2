import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { tableLines } from '../terminal/table.ts';
import { askedInstant, END } from '../time/asked-time.ts';
import { evidenceWord } from '../views/evidence-words.ts';
import { recordValue } from '../views/record.ts';
import { changeRecord, requireEarlier } from './change-record.ts';
import { asLocalTime, type HeldSession, heldSessions, recordMunicipality } from './held.ts';

const COLUMNS = ['session_id', 'source_code', 'area_code', 'starts_at', 'ends_at', 'cancelled_at'] as const;

/** Prints the stored sessions of a plate. */
export async function showSessions(office: Office, plate: string, given: string | undefined): Promise<void> {
  const sessions = await heldSessions(office, await recordMunicipality(office, given), plate);
  const { terminal, json, language } = office;
  if (json) {
    terminal.json(sessions);
    return;
  }
  if (sessions.length === 0) {
    office.note({
      en: `No stored session of the plate ${plate}.`,
      it: `Nessuna sosta salvata della targa ${plate}.`,
    });
    return;
  }
  const titles = COLUMNS.map((name) => ({ title: evidenceWord(name, language) }));
  const rows = sessions.map((session) => COLUMNS.map((name) => recordValue(name, session[name], language)));
  for (const line of tableLines(titles, rows, terminal.paint)) terminal.data(line);
}

export interface EndSessionOptions {
  readonly plate: string;
  readonly at?: string | undefined;
  readonly source?: string | undefined;
  readonly municipality?: string | undefined;
  readonly yes?: true | undefined;
}

/** Ends a stored session: its line once more, with another end. */
export async function endSession(office: Office, id: string, options: EndSessionOptions): Promise<void> {
  const city = await recordMunicipality(office, options.municipality);
  const find = async (): Promise<HeldSession> => {
    const held = await heldSessions(office, city, options.plate);
    return theOne(held, id, options.source);
  };
  const { municipality_code: _, source_code: source, ...before } = await find();
  const asked =
    options.at === undefined
      ? new Date().toISOString()
      : await askedInstant(office, options.at, city.code, END);
  const ends_at = asLocalTime(asked, city);
  const after = { ...before, ends_at };
  for (const end of [before.ends_at, before.cancelled_at]) requireEarlier(ends_at, end);
  await changeRecord(
    office,
    {
      ...{ kind: 'sessions', city, source, before, after, line: after, name: null },
      warning: office.say({
        en: `For the service it is an import of ${source}: a sign that this source is alive.`,
        it: `Per il servizio è un’importazione di ${source}: un segno che questa sorgente è attiva.`,
      }),
      lookAgain: async () => {
        const { municipality_code: __, source_code: ___, ...now } = await find();
        return now;
      },
    },
    options.yes ?? false,
  );
}

/** @throws Stop if none matches, or several do */
function theOne(held: readonly HeldSession[], id: string, source: string | undefined): HeldSession {
  const found = held.filter(
    (one) => one.session_id === id && (source === undefined || one.source_code === source),
  );
  const [session, other] = found;
  if (session === undefined) {
    throw new Stop(EXIT.refused, {
      en: `The plate has no session ${id}. \`parking session show\` lists what it has.`,
      it: `La targa non ha una sosta ${id}. \`parking session show\` elenca quelle che ha.`,
    });
  }
  if (other !== undefined) {
    const sources = found.map(({ source_code }) => source_code).join(', ');
    throw wrongUsage({
      en: `Several sources have a session ${id}: choose one with --source (${sources}).`,
      it: `Più sorgenti hanno una sosta ${id}: indicare quale con --source (${sources}).`,
    });
  }
  return session;
}
