import { sha256Hex } from '../../base/crypto/digest.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import type { Sealing } from '../../serving/access/seal.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import { sendLines } from '../../serving/answer.ts';
import type { Call, Validated } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import type { ListedChange, ListScope } from './changes.ts';
import { readChanges } from './changes-table.ts';
import { DEFAULT_LINES, type listPath, type listQuery } from './contract.ts';
import { type CursorBinding, type ListState, openCursor, sealCursor } from './cursor.ts';
import { type ListedFacility, type ListMunicipality, readFacility } from './facility-table.ts';
import { readFullPart, startOfList } from './full-table.ts';
import { cursorSealing, type ListKeys, listKeys } from './keys.ts';
import { type ListAnswer, presentList } from './present.ts';

/** An answer before its cursor is sealed. */
type Part = Omit<ListAnswer, 'cursor'> & {
  readonly state: ListState;
  /** The same answer with only its first lines. Without it, fewer lines are read. */
  readonly cut?: (lines: number) => Part;
};

/**
 * Answers the list of a facility for a gate that is offline: page after page of the full list, then deltas. Its first read is
 * made while the admission is being decided.
 */
export async function listEntitlements(
  c: Call<Validated<'query', typeof listQuery> & Validated<'param', typeof listPath>>,
): Promise<Response> {
  const { municipality_code: named, cursor, limit } = c.req.valid('query');
  const { area_code: areaCode } = c.req.valid('param');
  const { DB: db, TOKEN_KEY } = c.env;
  const { now, admission } = c.var;
  const facts = factsBesideGrant(c, named ?? undefined, (code) => readFacility(db, code, { areaCode }));

  const grant = await admission.granted;
  const municipality = await facts.within(grant);
  const facility = servedFacility(municipality, grant, areaCode);
  const secret = signingKeyOf(TOKEN_KEY);
  const { hash } = admission.token;
  const [keys, sealing, settings] = await Promise.all([
    listKeys(hash, secret),
    cursorSealing(hash, secret),
    settingsOf(municipality),
  ]);
  const binding: CursorBinding = {
    municipalityId: municipality.id,
    restoredAt: municipality.restoredAt,
    areaId: facility.areaId,
  };
  const state = cursor === undefined ? null : await openCursor(cursor, binding, sealing);
  // The cursor cannot be opened, or was made under other settings.
  if (cursor !== undefined && state?.settings !== settings) refuse('CURSOR_GONE');
  const scope: ListScope = { municipality, facility };
  const list = await writePage(state ?? newList(settings, now), limit ?? DEFAULT_LINES, {
    ...{ scope, keys, binding, sealing },
    reading: { db, now },
  });
  return sendLines(c, list ?? refuse('CURSOR_GONE'));
}

/** The context of writing a page. */
interface Writing {
  readonly scope: ListScope;
  readonly keys: ListKeys;
  readonly binding: CursorBinding;
  readonly sealing: Sealing;
  readonly reading: Reading;
}

/** Returns the next page as text; null if its cursor has expired. */
async function writePage(
  from: ListState | NewList,
  maxLines: number,
  { scope, keys, binding, sealing, reading }: Writing,
): Promise<string | null> {
  const lines = new Map<ListedChange, string>();
  for (let part = await nextPart(from, scope, maxLines, reading); part !== null; ) {
    const answer = { ...part, cursor: await sealCursor(part.state, binding, sealing) };
    const page = await presentList(answer, scope, keys, lines);
    if ('list' in page) {
      return page.list;
    }
    // The page has no room for all lines.
    const fewer = Math.max(1, Math.min(page.fitting, part.changes.length - 1));
    part = part.cut?.(fewer) ?? (await nextPart(from, scope, fewer, reading));
  }
  return null;
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

/** A digest of the settings that change every entry at once: a cursor expires if one of them changes. */
const settingsOf = async ({
  timeZone,
  subscriptionsEnabled,
  openSessionMaxHours,
}: ListMunicipality): Promise<string> =>
  (await sha256Hex(JSON.stringify([timeZone, subscriptionsEnabled, ...openSessionMaxHours]))).slice(0, 16);

/** The state of a caller who has no list yet. */
const newList = (settings: string, asOf: Instant): NewList => ({
  asOf,
  mark: null,
  settings,
  page: { of: 'full', position: startOfList(asOf) },
});

type NewList = Pick<ListState, 'asOf' | 'settings'> & {
  readonly mark: null;
  readonly page: ListState['page'] & { readonly of: 'full' };
};

/** What a page is read from, and when. */
interface Reading {
  readonly db: D1Database;
  readonly now: Instant;
}

function nextPart(
  state: ListState | NewList,
  scope: ListScope,
  maxLines: number,
  reading: Reading,
): Promise<Part | null> {
  const read = () =>
    state.page?.of === 'full'
      ? nextFullPart(state, state.page, scope, maxLines, reading)
      : state.mark === null
        ? Promise.resolve(null)
        : nextChanges(state, scope, maxLines, reading);
  return retry(read, TRIES_WHILE_WAITING);
}

async function nextFullPart(
  state: ListState | NewList,
  page: ListState['page'] & { readonly of: 'full' },
  scope: ListScope,
  maxLines: number,
  { db }: Reading,
): Promise<Part | null> {
  const { asOf, settings } = state;
  const cursor = state.mark === null ? null : state;
  const { changes, next, newest } = await readFullPart(db, scope, asOf, page.position, cursor, maxLines);
  if (newest === null) {
    return null;
  }
  const since = cursor?.since ?? newest.recordedAt;
  const partOf = (entries: typeof changes, goesOn: typeof next): Part => ({
    mode: 'full',
    asOf,
    changes: entries,
    more: goesOn !== null,
    state: {
      asOf,
      settings,
      since,
      // Later pages may already show changes made while pages are sent.
      held: { from: since, to: newest.recordedAt },
      mark: newest,
      page: goesOn && { of: 'full', position: goesOn },
    },
    cut: (lines) => partOf(entries.slice(0, lines), entries[lines - 1]?.behind ?? goesOn),
  });
  return partOf(changes, next);
}

async function nextChanges(
  state: ListState,
  scope: ListScope,
  maxLines: number,
  { db, now }: Reading,
): Promise<Part | null> {
  const asOf = state.page?.of === 'changes' ? state.page.asOf : now;
  const part = await readChanges(db, scope, state, asOf, maxLines);
  if (part === null) {
    return null;
  }
  const { changes, next, upTo, newest } = part;
  const { recordedAt } = upTo;
  // The pages lack rights that changed again while they were sent: the holder has the earlier state.
  const isExact = newest.recordedAt === recordedAt;
  const held = { from: isExact ? recordedAt : state.held.from, to: recordedAt };
  const partOf = (lines: typeof changes, goesOn: typeof next): Part => ({
    mode: 'delta',
    asOf,
    changes: lines,
    more: goesOn !== null,
    state: goesOn
      ? { ...state, mark: upTo, page: { of: 'changes', asOf, position: goesOn } }
      : { asOf, settings: state.settings, since: recordedAt, held, mark: upTo, page: null },
    cut: (most) => partOf(changes.slice(0, most), changes[most - 1]?.behind ?? goesOn),
  });
  return partOf(changes, next);
}
