import type { Office } from '../office.ts';
import { askedInstant, END } from '../times.ts';
import { changeRecord, requireEarlier } from './change-record.ts';
import { asLocalTime, type HeldSession, heldSessions, recordMunicipality } from './held.ts';
import { refusal, say } from './say.ts';

const COLUMNS = ['session_id', 'source_code', 'area_code', 'starts_at', 'ends_at', 'cancelled_at'] as const;

/** Prints the stored sessions of a plate. */
export async function showSessions(office: Office, plate: string, given: string | undefined): Promise<void> {
  const sessions = await heldSessions(office, await recordMunicipality(office, given), plate);
  if (office.json || sessions.length > 0) {
    office.showList(sessions, COLUMNS);
    return;
  }
  office.note(
    say(office, {
      en: `No stored session of the plate ${plate}.`,
      it: `Nessuna sosta salvata della targa ${plate}.`,
    }),
  );
}

export interface EndSessionOptions {
  readonly plate: string;
  readonly at?: string | undefined;
  readonly source?: string | undefined;
  readonly municipality?: string | undefined;
  readonly yes: boolean;
}

/** Ends a stored session: its line once more, with another end. */
export async function endSession(office: Office, id: string, options: EndSessionOptions): Promise<void> {
  const city = await recordMunicipality(office, options.municipality);
  const find = async (): Promise<HeldSession> => {
    const held = await heldSessions(office, city, options.plate);
    return theOne(office, held, id, options.source);
  };
  const { municipality_code: _, source_code: source, ...before } = await find();
  const asked =
    options.at === undefined
      ? new Date().toISOString()
      : await askedInstant(office, options.at, city.code, END);
  const ends_at = asLocalTime(asked, city);
  const after = { ...before, ends_at };
  for (const end of [before.ends_at, before.cancelled_at]) requireEarlier(office, ends_at, end);
  await changeRecord(
    office,
    {
      ...{ kind: 'sessions', city, source, before, after, line: after, name: null },
      warning: say(office, {
        en: `For the service it is an import of ${source}: a sign that this source is alive.`,
        it: `Per il servizio è un’importazione di ${source}: un segno che questa sorgente è attiva.`,
      }),
      lookAgain: async () => {
        const { municipality_code: __, source_code: ___, ...now } = await find();
        return now;
      },
    },
    options.yes,
  );
}

/** @throws Stop if none matches, or several do */
function theOne(
  office: Office,
  held: readonly HeldSession[],
  id: string,
  source: string | undefined,
): HeldSession {
  const found = held.filter(
    (one) => one.session_id === id && (source === undefined || one.source_code === source),
  );
  const [session, other] = found;
  if (session === undefined) {
    throw refusal(office, {
      en: `The plate has no session ${id}. \`parking session show\` lists what it has.`,
      it: `La targa non ha una sosta ${id}. \`parking session show\` elenca quelle che ha.`,
    });
  }
  if (other !== undefined) {
    const sources = found.map(({ source_code }) => source_code).join(', ');
    throw refusal(office, {
      en: `Several sources have a session ${id}: choose one with --source (${sources}).`,
      it: `Più sorgenti hanno una sosta ${id}: indicare quale con --source (${sources}).`,
    });
  }
  return session;
}
