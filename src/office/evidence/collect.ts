import { refuse } from '../../base/errors/refusal.ts';
import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { lookbackOf, retentionDays } from '../../base/platform/retention-days.ts';
import { areaRefusal, judgePlate } from '../../core/entitlement/judge.ts';
import { checkInstant, knownInstant } from '../../domain/check-instant.ts';
import { DAY_MS, instant } from '../../domain/instant.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { JsonCall } from '../../serving/call.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { read } from '../../storage/db/batch.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { versionsOf } from '../history/versions.ts';
import { MAX_VERSIONS } from '../history/versions-table.ts';
import { historyOf } from './around.ts';
import type { evidenceRequest } from './contract.ts';
import { readEvidence } from './facts.ts';
import { PLACE } from './facts-table.ts';
import { knownThen } from './known-then.ts';

/** Collects what a search has found: the verdict by the data of then, and by today's. Nothing is read before the grant. */
export async function collectEvidence(c: JsonCall<typeof evidenceRequest>) {
  const { env } = c;
  const now = c.get('now');
  const {
    event,
    known_at: askedKnownAt = null,
    area_code: areaCode = null,
    ...request
  } = c.req.valid('json');
  const lookback = lookbackOf(env, null);
  const plate = normalizePlate(request.plate) ?? refuse('INVALID_PLATE');
  const checked = checkInstant(request.at, now, lookback);
  if ('refused' in checked) refuse(checked.refused);
  const { at } = checked;
  if (areaCode === null && event !== 'verify') refuse('AREA_CODE_REQUIRED');

  const grant = await c.get('admission').granted;
  const code = await grantedCode(env.DB, grant, request.municipality_code);
  const [[found = null]] = await read(env.DB, [PLACE], { code });
  const place = requireGranted(found, grant);
  c.get('log').municipalityCode = code;
  c.get('log').plate = plate;

  const window = { from: instant(at - SESSION_WINDOW_MS), until: instant(at + SESSION_WINDOW_MS) };
  const query = { plate, areaCode, at };
  const facts = await readEvidence(env.DB, place, {
    ...query,
    digests: plateDigests(requireDigestKeys(env), code, plate),
    // An instant slightly ahead, by a wrong clock, counts as now; a later one is refused below.
    knownAt: instant(Math.min(askedKnownAt ?? at, now)),
  });
  const { configuration, knownSince, versions } = facts;
  const known = knownInstant(askedKnownAt, at, now, knownSince, lookback);
  if ('passed' in known) {
    const message = known.passed === 'now' ? tooLate : tooEarly;
    refuse('KNOWN_AT_OUT_OF_RANGE', { message: message(formatInstant(known.bound, place.timeZone)) });
  }
  if (configuration === null) refuse('KNOWN_AT_OUT_OF_RANGE');
  // Inactive areas are accepted: only one that was never configured is refused.
  const refused = facts.now.area === null ? areaRefusal(null, areaCode, event) : null;
  if (refused !== null) refuse(refused);
  if (versions.reduce((sum, rows) => sum + rows.length, 0) > MAX_VERSIONS) {
    throw new UnreadError(code, ['history'], sourceOfMost(versions[0]));
  }

  const then = knownThen(place, versions, configuration, query, known.at);
  const callLogSince = now - retentionDays(env).callLog * DAY_MS;
  return {
    ...{ plate, place, event, at, knownAt: known.at, configuration, facts },
    /** The start of the call log. */
    checksSince: instant(Math.max(knownSince, place.restoredAt, callLogSince)),
    asKnownThen: then.active
      ? judgePlate(then, query, event)
      : ({ refused: 'MUNICIPALITY_NOT_ALLOWED' } as const),
    asKnownNow: judgePlate(facts.now, query, event),
    /** The versions around the instant. */
    history: historyOf(versionsOf(versions), {
      ...{ window, areaCode },
      openSessionMaxHours: new Map(
        configuration.sources.map((source) => [source.code, source.open_session_max_hours]),
      ),
    }),
  };
}

export type Evidence = Awaited<ReturnType<typeof collectEvidence>>;

const tooLate = (bound: string) => ({
  en: `known_at: the instant is in the future: it must not be later than now, ${bound}.`,
  it: `known_at: l’istante è nel futuro: non deve essere dopo adesso, ${bound}.`,
});
const tooEarly = (bound: string) => ({
  en: `known_at: what was known before ${bound} is not kept, or was never recorded.`,
  it: `known_at: quanto era noto prima del ${bound} non è conservato, o non è mai stato registrato.`,
});
