import { hmacHex } from '../../base/crypto/digest.ts';
import type { Plate } from '../../domain/plate.ts';

/**
 * The digest that the call log stores instead of a plate: HMAC-SHA-256 of a code, NUL and the plate, in hexadecimal. It can
 * confirm a given plate, but cannot be turned back into one.
 *
 * @param place the code of the municipality; for an options query or a payment, of the tenant
 */
export const plateDigest = (key: string, place: string, plate: Plate): Promise<string> =>
  hmacHex(key, `${place}\0${plate}`);

/** The digests of a plate under every key, to search by. */
export const plateDigests = (keys: readonly string[], place: string, plate: Plate): Promise<string[]> =>
  Promise.all(keys.map((key) => plateDigest(key, place, plate)));
