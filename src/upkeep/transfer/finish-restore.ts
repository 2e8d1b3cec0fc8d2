import { refuse } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { type Instant, MINUTE_MS } from '../../domain/instant.ts';
import { type Plate, storedPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { seal, sealingOf, unseal } from '../../serving/access/seal.ts';
import { signingKeyOf } from '../../serving/access/token.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import { databasesOf, getDatabase, HOME } from '../../storage/databases/bindings.ts';
import type { RestoreProgress } from '../../storage/db/schema/moves.ts';
import { requireDigestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { eraseFromCopy, erasureDigest } from '../../storage/stored-plates/subjects.ts';
import { PART_MS, type Route } from './move-parts.ts';
import { storeRows, type Tenant } from './moves-table.ts';
import { rememberPlace } from './remember-place.ts';
import { completeRestore, pointTo, readErasuresSince, readPlatesAfter } from './restore-table.ts';
import { readStandings } from './standings.ts';
import { storeVersion } from './switch-table.ts';

const PLATES_AT_ONCE = 500;
/** Between the clocks of the service and of the home. */
const CLOCKS_APART_MS = MINUTE_MS;

/**
 * Finishes once all parts are stored: makes all rows point here, erases what was erased meanwhile, and then makes the
 * municipality live here.
 *
 * @returns whether that is done; else the next call continues
 * @throws Refusal `MUNICIPALITY_READABLE` where a database is back in which it lives
 */
export async function finishRestore(
  context: CallContext,
  route: Route,
  tenant: Tenant,
  turn: string,
  before: RestoreProgress,
): Promise<boolean> {
  const { env, requestId } = context;
  const { code, to, id } = route;
  const db = getDatabase(env, to);
  const { rows, livesIn } = await readStandings(env, code, to);
  const row = rows.get(to)?.row;
  if (livesIn !== null || row === undefined) {
    refuse('MUNICIPALITY_READABLE');
  }
  for (const { name, db: other } of databasesOf(env)) {
    if (name !== to && (name === HOME || rows.has(name))) {
      await pointTo(other, row, route, name === HOME);
    }
  }
  const erased = await eraseAgain(context, route, [before.tenant, tenant.code], turn, before);
  if (erased === null) {
    return false;
  }
  await completeRestore(db, id, turn, erased);
  await storeVersion(db, code, { requestId, now: clockNow() });
  await rememberPlace(context, code, to);
  return true;
}

/**
 * Erases what was erased from the tenant since the backup was begun, some plates at a time.
 *
 * @returns how far the restore has come; null where there is more to do
 */
async function eraseAgain(
  { env, now }: CallContext,
  { id, to }: Route,
  tenantCodes: readonly string[],
  turn: string,
  before: RestoreProgress,
): Promise<RestoreProgress | null> {
  const db = getDatabase(env, to);
  const endsAtMs = performance.now() + PART_MS;
  let progress = before;
  for (;;) {
    const { digests, mark } = await readErasuresSince(env.DB, tenantCodes, before.begunAt - CLOCKS_APART_MS);
    const from = progress.erasing?.erasures === mark ? progress.erasing.plate : '';
    if (digests.size === 0 || from === null) {
      return progress;
    }
    const plates = await readPlatesAfter(db, id, await openPlate(env, id, from), PLATES_AT_ONCE);
    const keys = requireDigestKeys(env);
    for (const stored of plates.filter((plate) => !isPseudonym(plate))) {
      await eraseIfErased(db, id, storedPlate(stored), { tenantCodes, digests, keys }, now);
    }
    const last = plates.length < PLATES_AT_ONCE ? null : (plates.at(-1) ?? null);
    progress = { ...progress, erasing: { erasures: mark, plate: await sealPlate(env, id, last) } };
    await storeRows(db, id, turn, [], { restore: progress });
    if (performance.now() > endsAtMs) {
      return null;
    }
  }
}

/** An erasure does not look where the progress of a restore is kept: there, no plate is in clear. */
const sealingOfPlates = ({ TOKEN_KEY }: Env) =>
  sealingOf(signingKeyOf(TOKEN_KEY), new Uint8Array(), 'restore/plate/1');

const sealPlate = async (env: Env, id: number, plate: string | null): Promise<string | null> =>
  plate === null ? null : seal(plate, [id], await sealingOfPlates(env));

/** @returns before all plates for what cannot be opened: comparing them again does no harm */
async function openPlate(env: Env, id: number, sealed: string): Promise<string> {
  const plate = await unseal(sealed, [id], await sealingOfPlates(env));
  return typeof plate === 'string' ? plate : '';
}

interface Erased {
  readonly tenantCodes: readonly string[];
  readonly digests: ReadonlySet<string>;
  readonly keys: readonly string[];
}

async function eraseIfErased(
  db: D1Database,
  id: number,
  plate: Plate,
  { tenantCodes, digests, keys }: Erased,
  now: Instant,
): Promise<void> {
  const made = await Promise.all(
    tenantCodes.flatMap((code) => keys.map((key) => erasureDigest(key, code, plate))),
  );
  const digest = made.find((each) => digests.has(each));
  const [key = ''] = keys;
  if (digest !== undefined) {
    await eraseFromCopy(db, { plate, municipalities: [{ id }] }, { key, digest }, now);
  }
}
