import type { Text } from '../../../src/base/text/text.ts';
import { NO_JSON_OBJECT, type Reading, TOO_LONG } from '../../../src/intake/imports/rejection.ts';
import { readSessionLine } from '../../../src/intake/imports/session-line.ts';
import { readSubscriptionLine } from '../../../src/intake/imports/subscription-line.ts';
import type { KindName } from '../../tables/index.ts';

/** Why a line is rejected, by the service's own codes. */
export interface Trouble {
  readonly code: string;
  readonly message: Text;
}

/** The codes that lines may name. Null: unknown here, so the service decides. */
export interface KnownCodes {
  readonly areas: ReadonlySet<string> | null;
  readonly types: ReadonlySet<string> | null;
}

export const NOTHING_KNOWN: KnownCodes = { areas: null, types: null };

/** The longest line that the service takes, in characters. */
const MAX_LINE_CHARACTERS = 256 * 1_024;

/**
 * Judges a line as the service would, by the very schemas that it validates with.
 *
 * @returns null for a good line
 */
export function judgeLine(kind: KindName, text: string, known: KnownCodes): Trouble | null {
  if (text.length > MAX_LINE_CHARACTERS) return troubleOf(TOO_LONG);
  const object = objectIn(text);
  const reading = object === null ? { rejection: NO_JSON_OBJECT } : readLine(kind, object, known);
  return reading.rejection === undefined ? null : troubleOf(reading.rejection);
}

function readLine(kind: KindName, line: object, known: KnownCodes): Reading<unknown> {
  const areas = idsOf(known.areas);
  return kind === 'sessions'
    ? readSessionLine(line, areas)
    : readSubscriptionLine(line, { areas, types: idsOf(known.types) });
}

const troubleOf = ({ code, message }: { code: string; message: () => Text }): Trouble => ({
  code,
  message: message(),
});

/** Made once per file, not once per line. */
const idsByCodes = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, number>>();

/** Ids that the service's reader requires: any will do here. */
function idsOf(codes: ReadonlySet<string> | null): ReadonlyMap<string, number> {
  if (codes === null) return ANY_CODE;
  const ids = idsByCodes.get(codes) ?? new Map([...codes].map((code) => [code, 1]));
  idsByCodes.set(codes, ids);
  return ids;
}

/** Accepts every code, since the municipality's codes are unknown here. */
class AnyCode extends Map<string, number> {
  override get(): number {
    return 1;
  }
}
const ANY_CODE = new AnyCode();

export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
