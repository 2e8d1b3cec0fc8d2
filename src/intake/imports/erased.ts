import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { digestKeys, plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import type { Target } from './target-table.ts';

/** How a kind of row loses its erased plates: the row as it may be stored, and the plates that were left out. */
export type Erasing<Row> = (
  row: Row,
  erasedAt: (plate: Plate) => Instant | undefined,
) => { readonly row: Row; readonly without: readonly Plate[] };

/**
 * The rows as they may be stored, under the keys by which they are known: a key that contains an erased plate is stored as its
 * digest.
 *
 * @param find those of some keys that are stored
 * @returns the rows that are whole, and those that lost a plate
 * @throws Error without a usable `DIGEST_KEY`, where a plate was erased
 */
export async function withoutErased<Row extends { readonly key: string }>(
  env: Env,
  { code, erased, hasKeyDigests }: Pick<Target, 'code' | 'erased' | 'hasKeyDigests'>,
  erase: Erasing<Row>,
  given: readonly Row[],
  find: (keys: readonly string[]) => Promise<readonly { readonly key: string }[]>,
): Promise<{ readonly whole: readonly Row[]; readonly erased: readonly Row[] }> {
  if (erased.size === 0 && !hasKeyDigests) return { whole: given, erased: [] };
  const keys = erased.size === 0 ? digestKeys(env) : requireDigestKeys(env);
  const erasedAt = (plate: Plate) =>
    plateDigests(keys, code, plate)
      .map((digest) => erased.get(digest))
      .find((at) => at !== undefined);
  const named = given.map((row) => ({
    ...erase(row, erasedAt),
    names: [row.key, ...keys.map((key) => keyDigest(key, row.key))],
  }));
  const known = new Set((await find(named.flatMap(({ names }) => names))).map(({ key }) => key));
  const rows = named.map(({ row, without, names: [own = row.key, digest = own, ...others] }) => {
    const fresh = without.some((plate) => spellsPlate(own, plate)) ? digest : own;
    const key = [own, digest, ...others].find((name) => known.has(name)) ?? fresh;
    return { row: { ...row, key }, isWhole: without.length === 0 };
  });
  const { whole = [], erased: left = [] } = Object.groupBy(rows, ({ isWhole }) =>
    isWhole ? 'whole' : 'erased',
  );
  return { whole: whole.map(({ row }) => row), erased: left.map(({ row }) => row) };
}
