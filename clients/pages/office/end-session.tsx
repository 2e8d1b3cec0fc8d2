import type { Child } from 'hono/jsx';
import { useEffect, useState } from 'hono/jsx/dom';
import { Button } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { DataTable } from '../components/table.tsx';
import { type Changed, FailureNotice, NotDone, Outcome, Review } from './said.tsx';
import { areaName, gatherPlate, type Held, runningOf, type Session, useCall, useSession } from './session.ts';
import { say } from './words.ts';

type Running = Held['sessions'][number];

/** Ends a session that runs, or cancels one that has not begun: its line once more, with one other instant. */
export function EndSession({ plate }: { readonly plate: string }) {
  const session = useSession();
  const { city, times } = session;
  const { called, make } = useCall<Held>();
  const [chosen, setChosen] = useState<Running | null>(null);
  const [ended, setEnded] = useState('');
  const load = (): void => void make(() => gatherPlate(session, plate));
  useEffect(load, []);
  const end = say('End now', 'Termina ora');
  const onSaved = (id: string): void => {
    setChosen(null);
    setEnded(id);
    load();
  };
  return (
    <>
      {ended !== '' && (
        <Notice kind="done">{say(`Session ${ended} has ended.`, `La sosta ${ended} è terminata.`)}</Notice>
      )}
      <Outcome called={called}>
        {(held) => (
          <DataTable
            title={say('Sessions that run or begin later', 'Soste in corso o future')}
            rows={runningOf(held).filter((one) => one.municipality_code === city.code)}
            columns={[
              [say('Session', 'Sosta'), (one) => one.session_id],
              ['Area', (one) => areaName(city, one.area_code)],
              [say('From → until', 'Da → a'), (one) => times.span(one.starts_at, one.ends_at)],
              [end, (one) => <Button label={end} onClick={() => setChosen(one)} />],
            ]}
          />
        )}
      </Outcome>
      {chosen !== null && <EndOne key={chosen.session_id} running={chosen} onSaved={onSaved} />}
    </>
  );
}

function EndOne({ running, onSaved }: { readonly running: Running; readonly onSaved: (id: string) => void }) {
  const session = useSession();
  const { times } = session;
  const now = new Date().toISOString();
  const hasBegun = Date.parse(running.starts_at) <= Date.parse(now);
  const changed: Changed = hasBegun
    ? [say('End', 'Fine'), times.shown(running.ends_at), times.shown(now)]
    : [say('Cancelled', 'Annullata'), times.shown(running.cancelled_at), times.shown(now)];
  const source = running.source_code;
  const warning = say(
    `For the service it is an import of ${source}: a sign that this source is alive.`,
    `Per il servizio è un’importazione di ${source}: un segno che questa sorgente è attiva.`,
  );
  const line = { ...running, ...(hasBegun ? { ends_at: now } : { cancelled_at: now }) };
  return (
    <Review changes={[changed]} warnings={[warning]} save={() => save(session, running, line, onSaved)} />
  );
}

/** Saves it, unless the source has sent something newer meanwhile. */
async function save(
  session: Session,
  before: Running,
  { municipality_code, source_code, ...line }: Running,
  onSaved: (id: string) => void,
): Promise<Child> {
  const { client, call } = session;
  const held = await gatherPlate(session, before.plate ?? '');
  if (!held.ok) return <FailureNotice failure={held} />;
  const present = held.answer.sessions.some((one) => JSON.stringify(one) === JSON.stringify(before));
  const lines = [JSON.stringify(line)];
  const sent = present
    ? await client.importSessions({ lines }, { municipality_code, source_code }, call)
    : null;
  if (sent !== null && !sent.ok) return <FailureNotice failure={sent} />;
  if (sent?.answer.updated !== 1) {
    const overtaken = say(
      'Its source has changed it meanwhile.',
      'Nel frattempo la sua sorgente l’ha modificata.',
    );
    return <NotDone>{sent?.answer.errors[0]?.message ?? overtaken}</NotDone>;
  }
  onSaved(before.session_id);
  return null;
}
