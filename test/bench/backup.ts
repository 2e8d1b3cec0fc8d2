import { join } from 'node:path';
import type { Chapter } from './chapter.ts';
import { administrate, type City, foundCity } from './city.ts';
import { Command } from './command.ts';
import { ADMIN_TOKEN, type Runtime, startRuntime } from './runtime.ts';
import { checkOf, PARKED } from './subjects.ts';

/** `BACKUP_SESSIONS` takes another size. */
const MANY = Number(process.env.BACKUP_SESSIONS ?? 100_000);
const FEW = MANY / 5;
const MIB = 1_024 * 1_024;
/** What a backup may use in the isolate, and in the command. */
const HEAP_MIB = 64;
/** Checks between two parts. */
const CHECKS = 100;

/** A city that is backed up and restored elsewhere: how it grows with the city, in memory and in time, and what checks feel. */
export const backup: Chapter = async () => {
  const few = await backedUp(FEW);
  const many = await backedUp(MANY);
  const ratio = (of: (size: Measured) => number) => [of(many) / of(few) / (MANY / FEW)];
  const what = `of a city of ${MANY.toLocaleString('en')} sessions`;
  const beside = `${FEW.toLocaleString('en')} sessions, a session`;
  return {
    figures: [
      { what: `backup ${what}`, unit: 's', rounds: [many.backUp.seconds] },
      {
        what: `backup ${what}: CPU`,
        beside,
        unit: '×',
        goal: '≤ 1.3',
        rounds: ratio(({ backUp }) => backUp.cpu),
      },
      { what: `backup ${what}: longest part`, unit: 's', rounds: [many.backUp.longest] },
      { what: `backup ${what}: largest part`, unit: 'MiB', goal: '≤ 8', rounds: [many.largest / MIB] },
      {
        what: `backup ${what}: the most that its isolate has in use`,
        unit: 'MiB',
        goal: `≤ ${HEAP_MIB}`,
        rounds: [many.backUp.mib],
      },
      {
        what: `backup ${what}: the most that the command holds, of heap at most ${HEAP_MIB} MiB`,
        unit: 'MiB',
        rounds: [many.commandMiB],
      },
      {
        what: 'plate check, median',
        beside: 'without a backup',
        unit: '×',
        goal: '≤ 2',
        rounds: [many.slower],
      },
      { what: `restore ${what}`, unit: 's', rounds: [many.restore.seconds] },
      {
        what: `restore ${what}: CPU`,
        beside,
        unit: '×',
        goal: '≤ 1.3',
        rounds: ratio(({ restore }) => restore.cpu),
      },
      { what: `restore ${what}: longest part`, unit: 's', rounds: [many.restore.longest] },
      {
        what: `restore ${what}: the most that its isolate has in use`,
        unit: 'MiB',
        goal: '≤ 100',
        rounds: [many.restore.mib],
      },
    ],
  };
};

interface Taken {
  readonly seconds: number;
  /** Of the CPU: a busy machine takes no more of these. */
  readonly cpu: number;
  /** Of one part. */
  readonly longest: number;
  /** The most that the isolate had in use. */
  readonly mib: number;
}

interface Measured {
  readonly backUp: Taken;
  readonly restore: Taken;
  /** Of a part, in bytes. */
  readonly largest: number;
  /** The most memory of the command that takes it. */
  readonly commandMiB: number;
  /** The median of checks beside a part, against that of checks between two parts. */
  readonly slower: number;
}

async function backedUp(sessions: number): Promise<Measured> {
  const city = await foundCity(await startRuntime({ inspector: true }), sessions);
  try {
    let parts: readonly string[] = [];
    const backUp = await taken(city.runtime, async (call) => {
      parts = await takeParts((after) => call(() => partAfter(city.runtime, after)));
    });
    const slower = await slowedChecks(city);
    const largest = Math.max(...parts.map((part) => Buffer.byteLength(part)));
    const commandMiB = await heldByCommand(city.runtime);
    return { backUp, restore: await restored(parts), largest, commandMiB, slower };
  } finally {
    await city.runtime.stop();
  }
}

/** The most that the command holds, which fails if its heap needs more than {@link HEAP_MIB}. */
async function heldByCommand({ service }: Runtime): Promise<number> {
  const command = new Command();
  const backingUp = ['backup', 'H501', '--out', join(command.folder, 'backup.ndjson.gz')];
  const environment = {
    ...{ PARKING_URL: service, PARKING_TOKEN: ADMIN_TOKEN },
    // The young generation has up to three semi-spaces.
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB - 12} --max-semi-space-size=4`,
  };
  return (await command.run(backingUp, environment)).peakMiB;
}

async function takeParts(take: (after: string) => Promise<string>): Promise<string[]> {
  const parts: string[] = [];
  for (let after = '', more = true; more; ) {
    const part = await take(after);
    parts.push(part);
    ({ after, more } = JSON.parse(part.slice(part.lastIndexOf('\n', part.length - 2))));
  }
  return parts;
}

/** Restores the parts into a service that knows no more than the tenant. */
async function restored(parts: readonly string[]): Promise<Taken> {
  const runtime = await startRuntime({ inspector: true });
  try {
    await administrate(runtime, 'PUT', 'configuration', { tenants: [{ code: 'acme', name: 'Acme' }] });
    let state = '';
    const restore = await taken(runtime, async (call) => {
      for (const part of parts) state = await call(() => send(runtime, part));
      while (state.includes('"restoring"')) state = await call(() => send(runtime, parts.at(-1) ?? ''));
    });
    if (!state.includes('"done"')) throw new Error(`restore: ${state.slice(0, 1_000)}`);
    return restore;
  } finally {
    await runtime.stop();
  }
}

type Timed = (call: () => Promise<string>) => Promise<string>;

async function taken(runtime: Runtime, work: (call: Timed) => Promise<void>): Promise<Taken> {
  const calls: number[] = [];
  const cpuBefore = runtime.cpuSeconds();
  const mib = await runtime.mostMiBDuring(() =>
    work(async (call) => {
      const startedAt = performance.now();
      const answer = await call();
      calls.push((performance.now() - startedAt) / 1_000);
      return answer;
    }),
  );
  const cpu = runtime.cpuSeconds() - cpuBefore;
  return { seconds: calls.reduce((sum, one) => sum + one, 0), cpu, longest: Math.max(...calls), mib };
}

const partAfter = ({ service }: Runtime, after: string): Promise<string> =>
  textOf(
    fetch(`${service}/api/v2/admin/municipalities/H501/backup?${new URLSearchParams(after && { after })}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    }),
  );

const send = ({ service }: Runtime, body: string): Promise<string> =>
  textOf(
    fetch(`${service}/api/v2/admin/municipalities/H501/restore?tenant=acme`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-ndjson' },
      body,
    }),
  );

async function textOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const text = await response.text();
  if (!response.ok) throw new Error(text.slice(0, 1_000));
  return text;
}

/**
 * Takes a backup with checks beside each part and between the parts, so that a busy machine slows both alike.
 *
 * @returns the median beside parts, against that between them
 */
async function slowedChecks(city: City): Promise<number> {
  const [beside, between]: [number[], number[]] = [[], []];
  await takeParts(async (after) => {
    let isDone = false;
    const checks = timesOfChecks(city, () => !isDone);
    const part = await partAfter(city.runtime, after);
    isDone = true;
    beside.push(...(await checks));
    between.push(...(await timesOfChecks(city, (asked) => asked < CHECKS)));
    return part;
  });
  return medianOf(beside) / medianOf(between);
}

/** Asks one check after the other. @returns the milliseconds of each */
async function timesOfChecks(city: City, goesOn: (asked: number) => boolean): Promise<number[]> {
  const { url, headers, body } = checkOf(city, PARKED);
  const times: number[] = [];
  while (goesOn(times.length)) {
    const startedAt = performance.now();
    await textOf(fetch(url, { method: 'POST', headers, body }));
    times.push(performance.now() - startedAt);
  }
  return times;
}

const medianOf = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
