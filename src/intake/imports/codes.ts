/** Codes by id, of ids by code. */
export const codesById = (ids: ReadonlyMap<string, number>): Map<number, string> =>
  new Map([...ids].map(([code, id]) => [id, code]));

const encoder = new TextEncoder();

/** How many bytes each code takes, by id. */
export const bytesById = (ids: ReadonlyMap<string, number>): Map<number, number> =>
  new Map([...ids].map(([code, id]) => [id, encoder.encode(code).length]));

/**
 * The code of an id that a line's code gave.
 *
 * @throws Error for an id that none of the codes has
 */
export function codeOf(codes: ReadonlyMap<number, string>, id: number): string {
  const code = codes.get(id);
  if (code === undefined) {
    throw new Error(`no code has the id ${id}`);
  }
  return code;
}
