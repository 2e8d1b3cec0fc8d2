import { say } from '../language.ts';
import { type Done, ReviewLine, WorkList } from './lists.tsx';
import { areaName, gatherPlate, type Held, runningOf, useSession } from './session.ts';
import { COLUMN } from './words.ts';

type Running = Held['sessions'][number];

/** Ends a session that runs, or cancels one that has not begun. */
export function EndSession({ plate }: { readonly plate: string }) {
  const session = useSession();
  const { city, times } = session;
  const load = async (): Promise<Running[]> =>
    runningOf(await gatherPlate(session, plate)).filter((one) => one.municipality_code === city.code);
  /** Its line once more, with one other instant. */
  const end = (running: Running, done: Done) => {
    const { municipality_code: _, source_code: source, ...line } = running;
    const now = new Date().toISOString();
    const property = Date.parse(running.starts_at) <= Date.parse(now) ? 'ends_at' : 'cancelled_at';
    const warning = say(
      `For the service it is an import of ${source}: a sign that this source is alive.`,
      `Per il servizio è un’importazione di ${source}: un segno che questa sorgente è attiva.`,
    );
    const isStill = async (): Promise<boolean> => {
      const { sessions } = await gatherPlate(session, plate);
      return sessions.some((one) => JSON.stringify(one) === JSON.stringify(running));
    };
    const id = running.session_id;
    return (
      <ReviewLine
        changes={[[COLUMN[property], times.shown(running[property]), times.shown(now)]]}
        warnings={[warning]}
        line={{ ...line, [property]: now }}
        {...{ source, isStill }}
        onSaved={() => done(say(`Session ${id} has ended.`, `La sosta ${id} è terminata.`))}
      />
    );
  };
  return (
    <WorkList
      title={say('Sessions that run or begin later', 'Soste in corso o future')}
      rows={load}
      columns={[
        [COLUMN.session_id, (one: Running) => one.session_id],
        [COLUMN.area_code, (one) => areaName(city, one.area_code)],
        [say('From → until', 'Da → a'), (one) => times.span(one.starts_at, one.ends_at)],
      ]}
      change={[say('End now', 'Termina ora'), end]}
    />
  );
}
