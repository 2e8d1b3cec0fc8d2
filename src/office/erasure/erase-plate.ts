import { refuseFields } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { Call } from '../../serving/call.ts';
import { batch, withValues } from '../../storage/db/batch.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { eraseSomeRows } from '../../storage/stored-plates/stored-plates-table.ts';
import type { Holder } from '../administration/holders-table.ts';
import type { ErasureAnswer } from './contract.ts';
import {
  CALLS_OF_PAGE,
  EMPTYING,
  ERASING_DIGESTS,
  KEEPING,
  LIFTING,
  MAX_CALLS,
  WHOLE_CALLS,
} from './erasure-table.ts';
import { answerMentions, requestMentions } from './mentions.ts';

/** How long one call erases, in milliseconds, before it answers with its position; and its most rounds. */
const PART = { ms: 4_000, rounds: 100 } as const;

const NOTHING = { sessions: 0, subscriptions: 0, history: 0, payments: 0, calls: 0 };

/** The last whole call that was searched, in hexadecimal. */
const POSITION = /^([0-9A-F]{2}){1,16}$/;
const BEFORE_ALL = '00';

/** Takes an erasure back: from now on the plate is stored again. What was erased stays erased. */
export async function liftErasure(env: Env, holder: Holder): Promise<ErasureAnswer> {
  await batch(env.DB, [LIFTING], { digests: digestsOf(holder) });
  return { erased: NOTHING, next: null };
}

/**
 * Erases a plate from all of a tenant's data, a bounded part per call: first keeps its digest, then takes it from the rows that have
 * it, then from the call log. A call may be cut off anywhere, and repeating it is always right.
 *
 * @param after the position that the call before has answered
 */
export async function erasePlate(c: Call, holder: Holder, after = BEFORE_ALL): Promise<ErasureAnswer> {
  if (!POSITION.test(after)) refuseFields([{ path: 'after', message: NO_POSITION }]);
  const [key = ''] = requireDigestKeys(c.env);
  const { DB: db } = c.env;
  const [now, requestId] = [c.get('now'), c.get('requestId')];
  await batch(db, [KEEPING], { digests: digestsOf(holder), now });
  const municipalities = holder.municipalities.map(({ id }) => id);
  const erasedPlate = { plate: holder.plate, municipalities, key, now, requestId };
  const erased: ErasureAnswer['erased'] = { ...NOTHING };
  const endsAtMs = performance.now() + PART.ms;
  let searched: string | null = after;
  let areRowsLeft = true;
  for (let round = 0; searched !== null; round += 1) {
    if (round >= PART.rounds || (round > 0 && performance.now() > endsAtMs)) {
      return { erased, next: searched };
    }
    if (areRowsLeft) {
      const [rows, calls] = [await eraseSomeRows(db, erasedPlate), await eraseDigests(db, holder)];
      for (const name of ['sessions', 'subscriptions', 'history', 'payments'] as const) {
        erased[name] += rows?.[name] ?? 0;
      }
      erased.calls += calls.erased;
      areRowsLeft = rows !== null || calls.isMore;
    } else {
      const page = await searchCalls(db, holder, searched);
      erased.calls += page.erased;
      searched = page.next;
    }
  }
  return { erased, next: null };
}

const digestsOf = ({ municipalities }: Holder): string =>
  JSON.stringify(municipalities.flatMap(({ id, digests }) => digests.map((digest) => [id, digest])));

/** Takes the digests of some calls, and their bodies. */
async function eraseDigests(db: D1Database, holder: Holder) {
  const [calls, plates] = await batch(db, ERASING_DIGESTS, {
    ofCalls: JSON.stringify(holder.digests),
    ofMunicipalities: JSON.stringify(holder.municipalities.flatMap(({ digests }) => digests)),
    digests: digestsOf(holder),
    tenant: holder.tenant,
  });
  const isMore = calls.length === MAX_CALLS || plates.length === MAX_CALLS;
  return { erased: calls.length + plates.length, isMore };
}

/** Takes the bodies of whole calls that mention the plate without its digest: of the tenant's, and of those of no tenant. */
async function searchCalls(db: D1Database, { plate, tenant }: Holder, after: string) {
  const pages = await batch(
    db,
    [tenant, null].map((of) => withValues(WHOLE_CALLS, { tenant: of })),
    { after },
  );
  const ids = pages
    .flat()
    .filter(
      ({ request, response }) =>
        requestMentions(request, plate) || (response !== null && answerMentions(response, plate)),
    )
    .map(({ id }) => id);
  const [erased] = ids.length === 0 ? [[]] : await batch(db, [EMPTYING], { ids: JSON.stringify(ids) });
  // What stands behind the end of the shorter page is read once more.
  const ends = pages.flatMap((page) => (page.length < CALLS_OF_PAGE ? [] : (page.at(-1)?.id ?? [])));
  return { erased: erased.length, next: ends.sort()[0] ?? null };
}

const NO_POSITION = {
  en: 'must be the `next` of the call before',
  it: 'deve essere il `next` della chiamata precedente',
};
