/** Italian plates do not use I, O, Q and U. */
const LETTERS = 'ABCDEFGHJKLMNPRSTVWXYZ';
const PLATES = LETTERS.length ** 4 * 1_000;

/** Coprime to the number of plates: neighbouring serials get distant plates, and no two the same. */
const STRIDE = 48_271_043;

/**
 * The plate of a serial number, of the form `AB123CD`. Different serials have different plates.
 *
 * @param serial from 0 to 234,255,999
 */
export function plateOf(serial: number): string {
  // The product exceeds the safe integers.
  let rest = Number((BigInt(serial) * BigInt(STRIDE)) % BigInt(PLATES));
  const take = (base: number): number => {
    const digit = rest % base;
    rest = Math.floor(rest / base);
    return digit;
  };
  const digits = String(take(1_000)).padStart(3, '0');
  const [a, b, c, d] = [0, 1, 2, 3].map(() => LETTERS.charAt(take(LETTERS.length)));
  return `${a}${b}${digits}${c}${d}`;
}
