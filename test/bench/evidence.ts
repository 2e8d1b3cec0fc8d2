import { setTimeout as sleep } from 'node:timers/promises';
import type { Chapter, Figure } from './chapter.ts';
import type { City } from './city.ts';
import { CONNECTIONS, type Load, loadInTurn, type Target } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { ask, evidenceOf, plateCheckGranted } from './subjects.ts';

const WARM_UP_SECONDS = 2;
const HOUR_MS = 3_600_000;
/** Each version is recorded later than the one before, and evidence asks between two of them. */
const APART_MS = 20;
/**
 * Evidence looks at each logged call about its plate, earlier evidence queries too. With so many plates, a query finds few of
 * these, as an office does.
 */
const [FIRST_PLATE, OTHER_PLATES] = [
  'EV1DEN',
  Array.from({ length: 499 }, (_, index) => `EV${index + 2}DEN`),
];

/** How many ask at once. */
const PACES = [
  { pace: 'one at a time', connections: 1 },
  { pace: `${CONNECTIONS} at a time`, connections: CONNECTIONS },
];

/** Evidence of plates whose sessions were extended three times, next to checks of a plate with one. It judges twice: then and now. */
export const evidence: Chapter = async ({ rounds, seconds, city }) => {
  const at = await extendThrice(city);
  // Of another plate: evidence lists the checks of its own.
  const check = plateCheckGranted(city);
  const evidenceAbout = (plate: string) => evidenceOf(city, plate, at);
  for (const subject of [check, evidenceAbout(FIRST_PLATE)]) await ask(subject);
  const checked = [check.target] as const;
  const asked = [
    evidenceAbout(FIRST_PLATE).target,
    ...OTHER_PLATES.map((plate) => evidenceAbout(plate).target),
  ] as const;
  const figures: Figure[] = [];
  for (const { pace, connections } of PACES) {
    const loadFor = (howLong: number) => (targets: readonly [Target, ...Target[]]) =>
      loadInTurn(targets, { seconds: howLong }, city.runtime, connections);
    await inRounds([[checked, asked]], 1, loadFor(WARM_UP_SECONDS));
    const loads = await inRounds([[checked, asked]], rounds, loadFor(seconds));
    const cpuOf = (targets: typeof checked | typeof asked) =>
      (loads.get(targets) ?? []).map((one: Load) => one.cpuUsPerRequest);
    figures.push({
      ...{ what: `evidence, ${pace}: CPU`, beside: 'two plate checks', unit: '×', goal: '≤ 1.5' },
      rounds: ratios(
        cpuOf(asked),
        cpuOf(checked).map((cpu) => 2 * cpu),
      ),
    });
  }
  return { figures };
};

/** @returns an instant at which the sessions had been extended once */
async function extendThrice({ runtime, token }: City): Promise<string> {
  const startedAt = Date.now();
  let between = '';
  for (const version of [1, 2, 3, 4]) {
    const lines = [FIRST_PLATE, ...OTHER_PLATES].map((plate) => ({
      ...{ session_id: `evidence ${plate}`, plate, area_code: 'P1' },
      starts_at: new Date(startedAt - HOUR_MS).toISOString(),
      ends_at: new Date(startedAt + version * HOUR_MS).toISOString(),
    }));
    const response = await fetch(
      `${runtime.service}/api/v2/imports/sessions?municipality_code=H501&source_code=app`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body: lines.map((line) => JSON.stringify(line)).join('\n'),
      },
    );
    await response.body?.cancel();
    await sleep(APART_MS);
    if (version === 2) between = new Date().toISOString();
    await sleep(APART_MS);
  }
  return between;
}
