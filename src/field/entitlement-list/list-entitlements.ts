import { sha256Hex } from '../../base/crypto/digest.ts';
import { refuse } from '../../base/errors/refusal.ts';
import { retentionDays } from '../../base/platform/retention-days.ts';
import type { Text } from '../../base/text/text.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import { sendLines } from '../../serving/answer.ts';
import type { Call, Validated } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { DEFAULT_LINES, type listPath, type listQuery } from './contract.ts';
import { type ListState, type Mark, readCursor } from './cursor.ts';
import { startOf } from './entries.ts';
import { type ListedFacility, type ListMunicipality, readFacility } from './facility-table.ts';
import { type ListKeys, listKeys } from './keys.ts';
import { writePage } from './page.ts';

/**
 * Answers the list of a facility for a gate that is offline: page after page of the full list, then deltas. Its facts are read while
 * the admission is being decided.
 */
export async function listEntitlements(
  c: Call<Validated<'query', typeof listQuery> & Validated<'param', typeof listPath>>,
): Promise<Response> {
  const { municipality_code: named, cursor: sent, limit = DEFAULT_LINES } = c.req.valid('query');
  const { area_code: areaCode } = c.req.valid('param');
  const now = c.get('now');
  const admission = c.get('admission');
  const cursor = sent === undefined ? undefined : readCursor(sent);
  const markAt = cursor?.seen.at ?? null;
  const facts = factsBesideGrant(c, named, (code) => readFacility(c.env.DB, code, { areaCode, markAt }));

  const grant = await admission.granted;
  const municipality = await facts.within(grant);
  const facility = servedFacility(municipality, grant, areaCode);

  const keys = await listKeys(admission.token.hash, signingKeyOf(c.env.TOKEN_KEY));
  const list = await nameOf(municipality, facility, keys);
  if (cursor === null || (cursor && !isContinued(cursor, list, municipality, keptSince(c.env, now)))) {
    refuse('CURSOR_GONE');
  }
  const state = nextState(cursor, list, municipality.newest, now);
  return sendLines(c, await writePage(c.env.DB, { municipality, facility, keys, state }, limit));
}

/** The rest of a list whose pages are being sent; else the next delta, or the full list. */
function nextState(cursor: ListState | undefined, list: string, seen: Mark, now: Instant): ListState {
  if (cursor && cursor.position !== null) return { ...cursor, seen };
  // What changes while the pages of a list are sent is in the next delta.
  const begun = { list, asOf: now, since: cursor?.upTo ?? null, upTo: seen.at, seen };
  return { ...begun, position: startOf(begun) };
}

/** @throws Refusal `SERVICE_DISABLED`, `AREA_FORBIDDEN`, `AREA_NOT_FOUND` */
function servedFacility(
  { plateCheckEnabled, facility }: ListMunicipality,
  grant: Grant,
  areaCode: string,
): ListedFacility {
  if (!plateCheckEnabled) refuse('SERVICE_DISABLED');
  if (!mayName(grant, areaCode)) refuse('AREA_FORBIDDEN');
  if (facility === null) refuse('AREA_NOT_FOUND', { message: NO_FACILITY });
  if (facility.offlineMinutes === 0) refuse('SERVICE_DISABLED', { message: NO_LIST });
  return facility;
}

const NO_FACILITY: Text = {
  en: 'area_code: the municipality has no active facility with this code.',
  it: 'area_code: il comune non ha parcheggi attivi con questo codice.',
};
const NO_LIST: Text = {
  en: 'This facility has no list: its offline_minutes are 0.',
  it: 'Questo parcheggio non ha una lista: i suoi offline_minutes sono 0.',
};

/**
 * What a cursor belongs to: a token, a facility, the key of the ids, and the settings of the municipality that change every entry at
 * once. A digest, so that another of any is another list.
 */
async function nameOf(
  municipality: ListMunicipality,
  facility: ListedFacility,
  keys: ListKeys,
): Promise<string> {
  const { timeZone, subscriptionsEnabled, openSessionMaxHours } = municipality;
  const { plateKeyId, entryKeyId } = keys;
  const parts = [facility.id, plateKeyId, entryKeyId, timeZone, subscriptionsEnabled, ...openSessionMaxHours];
  return sha256Hex(JSON.stringify(parts)).slice(0, 16);
}

/** Since when all that was replaced is kept. */
function keptSince(env: Env, now: Instant): number {
  const { sessions, subscriptions } = retentionDays(env);
  return now - Math.min(sessions, subscriptions) * DAY_MS;
}

/**
 * Whether a cursor is of this list, and the last change that its pages may have shown is still known: one that a restore or the
 * retention took could hide a gap, and behind an erasure the rows are others.
 */
const isContinued = (
  cursor: ListState,
  list: string,
  { marked, pastSince }: ListMunicipality,
  since: number,
): boolean =>
  cursor.list === list && cursor.seen.call === marked.call && cursor.upTo >= pastSince && cursor.asOf > since;
