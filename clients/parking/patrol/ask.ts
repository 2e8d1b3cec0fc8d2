import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, Failure } from '../../client/index.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import type { Sighting } from './read-sightings.ts';

export type PatrolAnswer = Answer<'checkPatrol'>;
export type PatrolItem = PatrolAnswer['results'][number];

/** The finding about a sighting. */
export interface Found {
  readonly sighting: Sighting;
  readonly item: PatrolItem;
  /** Milliseconds until the next question; null once it is settled. */
  readonly againMs: number | null;
}

/** Who asks, and where. */
export interface Asking {
  readonly municipality: string | undefined;
  readonly officer: string | undefined;
}

const MAX_CHECKS = 100;
/** The longest wait for a spent budget. */
const MAX_WAIT_SECONDS = 120;
/** A sighting that fails alone is asked about each minute, for an hour: mostly it will always fail. */
const TEMPORARY_AGAIN_MS = 60_000;
const TEMPORARY_FOR_MS = 3_600_000;

/**
 * Asks about sightings, in calls of as many as the credential may ask.
 *
 * @param onFound called with each call's answer
 * @throws Stop when a call gets none
 */
export async function askAbout(
  office: Office,
  sightings: readonly Sighting[],
  asking: Asking,
  onFound: (found: readonly Found[]) => void,
): Promise<void> {
  let most = MAX_CHECKS;
  let left = sightings;
  while (left.length > 0) {
    const some = left.slice(0, most);
    const result = await call(office, some, asking);
    if (result.ok) {
      onFound(foundIn(result.answer, some));
      left = left.slice(some.length);
    } else if (isTooMany(result) && some.length > 1) {
      most = Math.ceil(some.length / 2);
    } else {
      await waitOrStop(office, result);
    }
  }
}

const call = (office: Office, checks: readonly Sighting[], { municipality, officer }: Asking) =>
  office.client.checkPatrol(
    { checks: checks.map((check) => ({ ...check })), ...office.municipality(municipality) },
    { ...office.call, ...(officer !== undefined && { officerReference: officer }) },
  );

function foundIn({ results, generated_at }: PatrolAnswer, asked: readonly Sighting[]): Found[] {
  return results.flatMap((item) => {
    const sighting = asked.find(({ id }) => id === item.id);
    return sighting === undefined ? [] : [foundOf(sighting, item, generated_at)];
  });
}

function foundOf(sighting: Sighting, item: PatrolItem, generatedAt: string): Found {
  const now = Date.parse(generatedAt);
  // A later question must be about the same sighting.
  if ('refused' in item) {
    const { seen_at = generatedAt } = sighting;
    const isWorthIt = item.refused.code === 'TEMPORARY_ERROR' && now - Date.parse(seen_at) < TEMPORARY_FOR_MS;
    return { sighting: { ...sighting, seen_at }, item, againMs: isWorthIt ? TEMPORARY_AGAIN_MS : null };
  }
  const { look_again_at: again, seen_at } = item;
  const againMs = again === null ? null : Math.max(0, Date.parse(again) - now);
  return { sighting: { ...sighting, seen_at }, item, againMs };
}

const isTooMany = ({ issues = [] }: Failure): boolean => issues.some(({ path }) => path === 'checks');

async function waitOrStop(office: Office, failure: Failure): Promise<void> {
  const { failure: kind, retryAfterSeconds: seconds = Infinity } = failure;
  if (kind !== 'limited' || seconds > MAX_WAIT_SECONDS) throw stopOf(failure);
  office.note({
    en: `The credential’s budget is spent: continuing in ${seconds} s.`,
    it: `Il limite di chiamate della credenziale è esaurito: si prosegue tra ${seconds} s.`,
  });
  await wait(seconds * 1_000, undefined, { signal: office.signal });
}
