/** Italian plates do without I, O, Q and U. */
const LETTERS = 'ABCDEFGHJKLMNPRSTVWXYZ';
const PLATES = LETTERS.length ** 4 * 1_000;

/** Has no factor in common with the number of plates: neighbours get plates far apart, and no two the same. */
const STRIDE = 48_271_043;

/**
 * The plate of a number, of the form `AB123CD`: another one for every number.
 *
 * @param serial from 0 up to, and not including, 234,256,000
 */
export function plateOf(serial: number): string {
  // The product exceeds what a number holds exactly.
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
