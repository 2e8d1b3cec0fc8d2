import { hmacHex } from '../../access/digest.ts';
import { databasesOf } from '../../databases/bindings.ts';
import { allSideBySide } from '../../databases/side-by-side.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { whereWritable } from '../../errors/municipality-moving.ts';
import { requireDigestKeys } from '../../plate-digest/digest-keys.ts';
import { erasedDigest, newPseudonym } from '../../plate-digest/erased-plate.ts';
import {
  beginErasure,
  endErasure,
  eraseDigests,
  eraseFrom,
  maskCalls,
  readWholeCalls,
} from './erasure-table.ts';
import type { Holder } from './holder.ts';
import { withoutPlate } from './masked-plate.ts';
import type { ErasureAnswer } from './response.ts';

/** What one statement changes: some tens of milliseconds' work. */
const MOST_ROWS = 500;
/** Whole calls that are read at once: each may have 128 KiB. */
const WHOLE_CALLS = 50;
/** What a call looks through: it has to answer within its 10 s. */
const PART_MS = 4_000;

/**
 * Erases a plate from all that a tenant holds, a bounded part a call. It may be cut off anywhere: the same erasure again
 * goes on where it was. Once everything is erased, the same again finds nothing.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`
 */
export async function erasePlate(env: Env, holder: Holder, now: Instant): Promise<ErasureAnswer> {
  const pseudonym = newPseudonym();
  // All databases: an old copy that is not cleaned up yet, and calls that were logged there, hold the plate as well.
  const answers = await allSideBySide(databasesOf(env), ({ db }) => eraseIn(db, env, holder, pseudonym, now));
  const sum = (kind: keyof ErasureAnswer['erased']) =>
    answers.reduce((total, { erased }) => total + erased[kind], 0);
  return {
    erased: {
      sessions: sum('sessions'),
      subscriptions: sum('subscriptions'),
      history: sum('history'),
      calls: sum('calls'),
    },
    more: answers.some(({ more }) => more),
  };
}

async function eraseIn(
  db: D1Database,
  env: Env,
  holder: Holder,
  pseudonym: string,
  now: Instant,
): Promise<ErasureAnswer> {
  const { plate, tenant, digests } = holder;
  const [key = ''] = requireDigestKeys(env);
  const erasure = await hmacHex(key, `erasure\0${tenant}\0${plate}`);
  const { underWay, subjects } = await beginErasure(db, erasure, pseudonym, now, holder, MOST_ROWS);
  const erased = { sessions: 0, subscriptions: 0, history: 0, calls: 0 };
  if (subjects.length > 0) {
    const withDigests = await Promise.all(
      subjects.map(async (subject) => ({ ...subject, digest: await erasedDigest(key, subject, plate) })),
    );
    Object.assign(
      erased,
      await whereWritable(() => eraseFrom(db, withDigests, plate, underWay.pseudonym, now)),
    );
    if (subjects.length === MOST_ROWS) {
      return { erased, more: true };
    }
  }

  const startedAt = performance.now();
  let after = { at: underWay.calls_up_to, id: underWay.calls_after_id };
  for (;;) {
    const calls = await readWholeCalls(db, tenant, after, WHOLE_CALLS);
    const last = calls.at(-1);
    if (last === undefined) {
      break;
    }
    after = { at: last.at, id: last.request_id };
    const masked = calls.flatMap((call) => {
      const [request, response] = [withoutPlate(call.request, plate), withoutPlate(call.response, plate)];
      return request === call.request && response === call.response ? [] : [{ ...call, request, response }];
    });
    erased.calls += await maskCalls(db, erasure, masked, digests, after);
    if (performance.now() - startedAt > PART_MS) {
      return { erased, more: true };
    }
  }

  const ofDigests = await eraseDigests(db, digests, MOST_ROWS);
  erased.calls += ofDigests;
  if (ofDigests === MOST_ROWS) {
    return { erased, more: true };
  }
  await endErasure(db, erasure);
  return { erased, more: false };
}
