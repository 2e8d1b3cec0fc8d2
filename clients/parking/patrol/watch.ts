import { setTimeout as wait } from 'node:timers/promises';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { interruptedStop, Stop } from '../stop.ts';
import { type Counted, counted, durationOf } from '../terminal/numbers.ts';
import { patrolLines } from '../views/patrol.ts';
import { type Asking, askAbout, type Found } from './ask.ts';
import type { Sighting } from './read-sightings.ts';

const SIGHTINGS: Counted = [
  { en: 'sighting', it: 'veicolo' },
  { en: 'sightings', it: 'veicoli' },
];

type Sleep = (ms: number, value: undefined, options: { readonly signal: AbortSignal }) => Promise<void>;

/**
 * Asks once, and prints the findings.
 *
 * @throws Stop if the service refused some, or did not answer, after printing the findings so far
 */
export async function patrolOnce(
  office: Office,
  sightings: readonly Sighting[],
  asking: Asking,
): Promise<void> {
  const found: Found[] = [];
  try {
    await askAbout(office, sightings, asking, (some) => found.push(...some));
  } finally {
    if (office.json) office.terminal.json(found.map(({ item }) => item));
    else show(office, found);
  }
  refuseRefused(office, found);
}

/**
 * Asks again about sightings that need a second look, when it is time, until all are settled.
 *
 * @param sleep waits some milliseconds; it may end early
 */
export async function watchPatrol(
  office: Office,
  sightings: readonly Sighting[],
  asking: Asking,
  sleep: Sleep = wait,
): Promise<void> {
  const settled: Found[] = [];
  let due = sightings;
  let waiting: { readonly sighting: Sighting; readonly at: number }[] = [];
  while (due.length + waiting.length > 0) {
    const round: Found[] = [];
    await askAbout(office, due, asking, (some) => round.push(...some));
    if (office.json) for (const { item } of round) office.terminal.jsonLine(item);
    else show(office, round);
    const now = performance.now();
    for (const { sighting, againMs, ...rest } of round) {
      if (againMs === null) settled.push({ sighting, againMs, ...rest });
      else waiting.push({ sighting, at: now + againMs });
    }
    const next = Math.min(...waiting.map(({ at }) => at));
    if (waiting.length > 0) await pause(office, waiting.length, next - now, sleep);
    due = waiting.filter(({ at }) => at <= performance.now()).map(({ sighting }) => sighting);
    waiting = waiting.filter(({ sighting }) => !due.includes(sighting));
  }
  refuseRefused(office, settled);
}

async function pause(office: Office, open: number, ms: number, sleep: Sleep): Promise<void> {
  const [en, it] = [counted(open, SIGHTINGS, 'en'), counted(open, SIGHTINGS, 'it')];
  const time = durationOf(Math.ceil(Math.max(ms, 0) / 1_000));
  if (!office.json) {
    office.note({
      en: `${en} to look at again, in ${time}.`,
      it: `${it} da ricontrollare, tra ${time}.`,
    });
  }
  await sleep(Math.max(ms, 0) + 1, undefined, { signal: office.signal }).catch(() => {});
  if (office.signal.aborted) {
    throw interruptedStop({ advice: { en: `${en} not settled.`, it: `${it} in sospeso.` } });
  }
}

function show({ terminal, language }: Office, found: readonly Found[]): void {
  if (found.length === 0) return;
  for (const line of patrolLines(found, language, terminal.paint)) terminal.data(line);
}

function refuseRefused({ json }: Office, found: readonly Found[]): void {
  const refused = found.filter(({ item }) => 'refused' in item).length;
  if (refused === 0) return;
  const [en, it] = [counted(refused, SIGHTINGS, 'en'), counted(refused, SIGHTINGS, 'it')];
  throw new Stop(EXIT.refused, {
    en: `${en} refused: nothing was verified${json ? '' : ', see above'}.`,
    it: `${it} rifiutati: nulla è stato verificato${json ? '' : ', vedi sopra'}.`,
  });
}
