import { hmacHex } from '../../base/crypto/digest.ts';
import type { Plate } from '../../domain/plate.ts';

/**
 * What the call log holds in place of a plate: HMAC-SHA-256 of a code, NUL and the plate, hexadecimal. It can confirm a plate
 * that somebody names, but list none.
 *
 * @param place the code of the municipality; of an options query, of the tenant
 */
export const plateDigest = (key: string, place: string, plate: Plate): Promise<string> =>
  hmacHex(key, `${place}\0${plate}`);

/** The digests of a plate under every key, to look it up by. */
export const plateDigests = (keys: readonly string[], place: string, plate: Plate): Promise<string[]> =>
  Promise.all(keys.map((key) => plateDigest(key, place, plate)));
