import { setTimeout as sleep } from 'node:timers/promises';
import type { Chapter } from './chapter.ts';
import type { City } from './city.ts';
import { type Load, load } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { ask, evidenceOf, plateCheckGranted, type Subject } from './subjects.ts';

const SESSIONS = 100_000;
const WARM_UP_SECONDS = 1;
const HOUR_MS = 3_600_000;
const PLATE = 'EV1DEN';
/** Each version is recorded later than the one before, and evidence asks between two of them. */
const APART_MS = 20;

/** Evidence of a plate whose session was extended three times, next to a check of a plate with one. It judges twice: then and now. */
export const evidence: Chapter = async ({ rounds, seconds, cities }) => {
  const city = await cities.of(SESSIONS);
  const at = await extendThrice(city);
  // Of another plate: evidence lists the checks of its own.
  const check = plateCheckGranted(city);
  const asked = evidenceOf(city, PLATE, at);
  for (const subject of [check, asked]) {
    await ask(subject);
    await load(subject.target, WARM_UP_SECONDS, city.runtime);
  }
  const loads = await inRounds([[check, asked]], rounds, ({ target }) => load(target, seconds, city.runtime));
  const cpuOf = (subject: Subject) => (loads.get(subject) ?? []).map((one: Load) => one.cpuUsPerRequest);
  const two = cpuOf(check).map((one) => 2 * one);
  return {
    figures: [
      {
        ...{ what: 'evidence: CPU', beside: 'two plate checks', unit: '×', goal: '≤ 2' },
        rounds: ratios(cpuOf(asked), two),
      },
    ],
  };
};

/** @returns an instant at which the session had been extended once */
async function extendThrice({ runtime, token }: City): Promise<string> {
  const startedAt = Date.now();
  let between = '';
  for (const version of [1, 2, 3, 4]) {
    const response = await fetch(
      `${runtime.service}/api/v2/imports/sessions?municipality_code=H501&source_code=app`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body: JSON.stringify({
          ...{ session_id: 'evidence', plate: PLATE, area_code: 'P1' },
          starts_at: new Date(startedAt - HOUR_MS).toISOString(),
          ends_at: new Date(startedAt + version * HOUR_MS).toISOString(),
        }),
      },
    );
    await response.body?.cancel();
    await sleep(APART_MS);
    if (version === 2) between = new Date().toISOString();
    await sleep(APART_MS);
  }
  return between;
}
