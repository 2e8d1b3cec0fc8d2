import { sha256Hex } from '../../base/crypto/digest.ts';
import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import { TenantTurns } from '../../base/platform/turns.ts';
import type { Text } from '../../base/text/text.ts';
import type { Instant } from '../../domain/instant.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import type { Sealing } from '../../serving/access/seal.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import { LinesText, operation, type ValidRequest } from '../../serving/pipeline/operation.ts';
import type {
  CallContext,
  MunicipalityCallContext,
  MunicipalityReading,
} from '../../serving/pipeline/reading.ts';
import { retry, TRIES_WHILE_WAITING } from '../../storage/db/retry.ts';
import type { ListedChange, ListScope } from './changes.ts';
import { readChanges } from './changes-table.ts';
import { DEFAULT_LINES, type ListQuery, listLine, listPath, listQuery } from './contract.ts';
import { type CursorBinding, type ListState, openCursor, sealCursor } from './cursor.ts';
import { type ListedFacility, type ListMunicipality, readFacility } from './facility-table.ts';
import { readFullPart, startOfList } from './full-table.ts';
import { cursorSealing, type ListKeys, listKeys } from './keys.ts';
import { type ListAnswer, presentList } from './present.ts';

type ListRequest = ValidRequest<unknown, ListQuery, { readonly area_code: string }>;

/** The first read of a list. */
const listReading: MunicipalityReading<ListRequest, string, ListMunicipality> = {
  kind: 'municipality',
  early: true,
  retried: false,
  code: ({ query }) => query.municipality_code,
  query: ({ path }) => path.area_code,
  read: (db, search, areaCode) => readFacility(db, search, { areaCode }),
};

/** The list as text, or why there is none. */
type ListFinding = { readonly list: string } | { readonly refused: Refusal };

/** An answer before its cursor is sealed. */
type Part = Omit<ListAnswer, 'cursor'> & {
  readonly state: ListState;
  /** The same answer with only its first lines. Without it, fewer lines are read. */
  readonly cut?: (lines: number) => Part;
};

/** The list of a facility for a gate that is offline: page after page of the full list, then deltas. */
async function listEntitlements(
  { cursor, limit }: ListQuery,
  context: MunicipalityCallContext<string, ListMunicipality>,
): Promise<ListFinding> {
  const { env, municipality, tokenHash, grant, query } = context;
  const refuse = (code: ErrorCode, message?: Text) => ({
    refused: new Refusal(code, message && { message }),
  });
  const served = servedFacility(municipality, grant, query);
  if ('refused' in served) {
    return refuse(served.refused, served.message);
  }
  const scope: ListScope = { municipality, facility: served.facility };
  const secret = signingKeyOf(env.TOKEN_KEY);
  const [keys, sealing, settings] = await Promise.all([
    listKeys(tokenHash, secret),
    cursorSealing(tokenHash, secret),
    settingsOf(municipality),
  ]);
  const binding: CursorBinding = {
    municipalityId: municipality.id,
    restoredAt: municipality.restoredAt,
    areaId: served.facility.areaId,
  };
  const state = cursor === undefined ? null : await openCursor(cursor, binding, sealing);
  // The cursor cannot be opened, or was made under other settings.
  if (cursor !== undefined && state?.settings !== settings) {
    return refuse('CURSOR_GONE');
  }
  const from = state ?? newList(settings, context.now);
  const reading = { db: env.DB, context };
  const { deadline, isolate } = context;
  const write = () => writePage(from, limit ?? DEFAULT_LINES, { scope, keys, binding, sealing, reading });
  // A full list may have thousands of lines; a delta is short.
  const list = await (from.page === null ? write() : isolate.get(TenantTurns).take(grant, deadline, write));
  return list === null ? refuse('CURSOR_GONE') : { list };
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

function servedFacility(
  { plateCheckEnabled, facility }: ListMunicipality,
  grant: Grant,
  areaCode: string,
): { readonly facility: ListedFacility } | { readonly refused: ErrorCode; readonly message?: Text } {
  if (!plateCheckEnabled) {
    return { refused: 'SERVICE_DISABLED' };
  }
  if (!mayName(grant, areaCode)) {
    return { refused: 'AREA_FORBIDDEN' };
  }
  if (facility === null) {
    return { refused: 'AREA_NOT_FOUND', message: NO_FACILITY };
  }
  return facility.offlineMinutes === 0 ? { refused: 'SERVICE_DISABLED', message: NO_LIST } : { facility };
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

/** A call, and the municipality's database. */
interface Reading {
  readonly db: D1Database;
  readonly context: CallContext;
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
  return reading.context.deadline.race(retry(read, TRIES_WHILE_WAITING));
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
  { db, context }: Reading,
): Promise<Part | null> {
  const asOf = state.page?.of === 'changes' ? state.page.asOf : context.now;
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

/** The list that a gate needs to let the right cars in while it is offline. */
export const entitlementList = operation({
  id: 'listEntitlements',
  method: 'GET',
  path: '/api/v2/facilities/:area_code/entitlement-list',
  access: {
    by: 'credential',
    scope: 'entitlement_list',
    budget: 'lists',
    tokenHeaders: 'authorization_only',
  },
  // No car waits for it. A page takes a fraction of this.
  deadlineMs: 10_000,
  query: listQuery,
  pathParameters: listPath,
  reads: listReading,
  answer: { line: listLine },
  envelope: false,
  errors: ['SERVICE_DISABLED', 'AREA_FORBIDDEN', 'AREA_NOT_FOUND', 'CURSOR_GONE'],
  log: { operation: 'entitlement_list' },
  handle: async ({ query }, context) => {
    const finding = await listEntitlements(query, context);
    return 'refused' in finding ? finding : { answer: new LinesText(finding.list) };
  },
});
