// Plays the events of a service in production: npm run rehearse

import { setTimeout as wait } from 'node:timers/promises';
import { takeNoArguments } from '../../command-line.ts';
import { print } from '../../print.ts';
import { buildCities } from './city.ts';
import { unplayed } from './commands.ts';
import type { Memory } from './scene.ts';
import { firstDeployment, SCENES } from './scenes.ts';
import { Stage } from './stage.ts';
import { type Asked, Stream } from './stream.ts';

takeNoArguments('npm run rehearse: plays what happens to a service in production, on this machine');

const stage = await Stage.set();
let isWell = true;

/** One line a scene: its time, the calls meanwhile, and the wrong answers. */
function report(name: string, beganAt: number, asked: Asked | null, error: unknown, why?: string): void {
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
  const counts =
    asked === null
      ? ''
      : `, ${asked.checks} checks, ${asked.options} options, ${asked.imports} imports, ${failuresOf(asked, why)}, ${asked.wrong.length} wrong`;
  const went = error === null && (asked?.wrong.length ?? 0) === 0;
  print(`${went ? 'ok  ' : 'NOT '} ${name}: ${seconds} s${counts}`);
  if (went) return;
  isWell = false;
  for (const line of asked?.wrong.slice(0, 5) ?? []) print(`     ${line}`);
  if (error !== null) print(`     ${error instanceof Error ? error.message : error}`);
}

/** A failure is a 500 or a 503, which no caller can take for a “no”: in this scene failures are expected. */
function failuresOf({ failures }: Asked, why = 'calls during a change'): string {
  return failures === 0 ? '0 failures' : `${failures} failures (500 or 503, no verdict: ${why})`;
}

/** Plays a scene, and lets the stream run for a moment after it. */
async function play(
  name: string,
  stream: Stream | null,
  work: () => Promise<void>,
  why?: string,
): Promise<void> {
  const beganAt = performance.now();
  let error: unknown = null;
  try {
    await work();
    if (stream !== null) await wait(1_000);
  } catch (thrown) {
    error = thrown;
  }
  report(name, beganAt, stream?.take() ?? null, error, why);
}

/** The first scene: there is no service to ask before it. */
async function begin(): Promise<{ readonly memory: Memory; readonly stream: Stream } | null> {
  let begun: { readonly memory: Memory; readonly stream: Stream } | null = null;
  await play('a first deployment', null, async () => {
    const memory = await firstDeployment(stage);
    const stream = new Stream(await buildCities(stage.platform.address, memory.adminToken));
    await stream.begin();
    await stage.platform.cron('* * * * *');
    begun = { memory, stream };
  });
  return begun;
}

/** Every version of a session was stored by a change, and begins where the one before it ends. */
async function countHistories(stream: Stream, databases: Readonly<Record<string, string>>): Promise<void> {
  for (const id of Object.values(databases)) {
    const db = await stage.platform.runtime.database(id);
    const missing = await db
      .prepare(
        `select count(*) as missing from (
           select id, municipality_id, recorded_at, null as replaced_at from parking_sessions
           union all select id, municipality_id, recorded_at, replaced_at from past_parking_sessions) as version
         where not exists (select 1 from changes as c where c.municipality_id = version.municipality_id and c.recorded_at = version.recorded_at)
           or (replaced_at is not null and not exists (
             select 1 from parking_sessions as s where s.id = version.id and s.recorded_at = version.replaced_at
             union all select 1 from past_parking_sessions as p where p.id = version.id and p.recorded_at = version.replaced_at))`,
      )
      .first<number>('missing');
    const stored = await db
      .prepare('select count(*) as stored from parking_sessions')
      .first<number>('stored');
    if (missing !== 0)
      throw new Error(`of ${stored} sessions, ${missing} versions are in no unbroken history`);
  }
  const answered = [...stream.paid.values()].reduce((sum, plates) => sum + plates.length, 0);
  if (answered === 0) throw new Error('nothing was imported');
}

try {
  const begun = await begin();
  if (begun !== null) {
    const { memory, stream } = begun;
    for (const scene of SCENES) {
      await play(scene.name, stream, () => scene.play(stage, memory, stream), scene.failures);
    }
    const beganAt = performance.now();
    report('everything that was imported, once more', beganAt, await stream.end(), null);
    await play('the histories', null, () => countHistories(stream, memory.databases));
    await play('every command of the operator’s pages', null, async () => {
      const missing = unplayed(stage.played);
      if (missing.length > 0) throw new Error(`no scene has played ${missing.join(', ')}`);
    });
  }
  if (stage.platform.unknown.length > 0) {
    isWell = false;
    print(`The stand-in did not know: ${[...new Set(stage.platform.unknown)].join(', ')}`);
  }
} finally {
  await stage.end();
}
print(isWell ? 'Well: no answer was wrong.' : 'Not well: see above.');
process.exit(isWell ? 0 : 1);
