import type { core } from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';
import { DAILY_CHANGES } from '../../domain/daily-changes.ts';
import { MAX_PLATE_SESSIONS, MAX_PLATE_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import { issuesOf } from '../../serving/http/validation.ts';
import type { Refused } from './reconcile.ts';

/** Why a line is rejected. The codes mean the same as for a whole request. */
export const LINE_CODES = [
  'INVALID_JSON',
  'INVALID_REQUEST',
  'INVALID_PLATE',
  'AREA_NOT_FOUND',
  'SUBSCRIPTION_TYPE_NOT_FOUND',
  'TOO_MANY',
  'QUOTA_EXCEEDED',
] as const;
export type LineCode = (typeof LINE_CODES)[number];

/** Why one line was rejected. Its neighbours are not affected. */
export interface Rejection {
  readonly code: LineCode;
  /** The reason. Made lazily: a file may have a hundred thousand bad lines, and few are listed. */
  readonly message: () => Text;
}

/** The result of reading a line: a row to store, or a rejection. */
export type Reading<Row> =
  | { readonly row: Row; readonly rejection?: undefined }
  | { readonly rejection: Rejection };

/** Issues listed of one line. Its sender sees the rest next time. */
const MAX_ISSUES = 3;
/** Wrong values listed of one line: a spreadsheet's row seldom has more. */
const MAX_VALUES = 20;

/** The text of each code about a line. */
export const LINE_TEXTS: Record<Exclude<LineCode, 'INVALID_REQUEST'>, Text> = {
  INVALID_JSON: { en: 'the line is not a JSON object', it: 'la riga non è un oggetto JSON' },
  INVALID_PLATE: {
    en: 'it is blank, too long, or has a character that no plate can have',
    it: 'è vuota, troppo lunga, o contiene un carattere che nessuna targa può avere',
  },
  AREA_NOT_FOUND: {
    en: 'the municipality has no area with this code',
    it: 'il comune non ha aree con questo codice',
  },
  SUBSCRIPTION_TYPE_NOT_FOUND: {
    en: 'the municipality has no subscription type with this code',
    it: 'il comune non ha tipi di abbonamento con questo codice',
  },
  TOO_MANY: {
    en: `the plate has ${MAX_PLATE_SESSIONS} other sessions that end later than 24 hours before this one, or is on ${MAX_PLATE_SUBSCRIPTIONS} other subscriptions that are not over`,
    it: `la targa ha altre ${MAX_PLATE_SESSIONS} soste che finiscono dopo le 24 ore prima di questa, o è in altri ${MAX_PLATE_SUBSCRIPTIONS} abbonamenti ancora in corso`,
  },
  QUOTA_EXCEEDED: {
    en: `the tenant has stored ${DAILY_CHANGES} changes today (UTC): send the line again tomorrow`,
    it: `l’ente ha già salvato ${DAILY_CHANGES} modifiche oggi (UTC): rinviare la riga domani`,
  },
};

/** The line as a whole is no JSON object. */
export const NO_JSON_OBJECT: Rejection = {
  code: 'INVALID_JSON',
  message: () => LINE_TEXTS.INVALID_JSON,
};

/** The line is longer than any good line. */
export const TOO_LONG: Rejection = {
  code: 'INVALID_REQUEST',
  message: () => ({ en: 'the line is too long', it: 'la riga è troppo lunga' }),
};

/** The day has no room for what the line changes. */
const NO_ROOM_TODAY: Rejection = {
  code: 'QUOTA_EXCEEDED',
  message: () => LINE_TEXTS.QUOTA_EXCEEDED,
};

/** The line's plate, or one of its plates, has too many rows. */
const TOO_MANY: Rejection = {
  code: 'TOO_MANY',
  message: () => LINE_TEXTS.TOO_MANY,
};

/** Why a readable line is rejected. */
export function rejectionOf(refused: Refused | null): Rejection | null {
  switch (refused) {
    case 'crowded':
      return TOO_MANY;
    case 'no_room':
      return NO_ROOM_TODAY;
    case null:
      return null;
    default:
      return refused satisfies never;
  }
}

const FORGED_KEY: Text = {
  en: 'must not have the form of an erased key’s digest, * and 64 hexadecimal digits, unless it is stored',
  it: 'non deve avere la forma dell’impronta di una chiave cancellata, * e 64 cifre esadecimali, se non è già salvata',
};

/** The key would pass for the digest of an erased one, and no row has it. */
export const forgedKey = (path: string): Rejection => ({
  code: 'INVALID_REQUEST',
  message: () => textOf([{ path, message: FORGED_KEY }]),
});

/** A field with the right form and a wrong value. */
export interface WrongValue {
  readonly code: Extract<LineCode, 'INVALID_PLATE' | 'AREA_NOT_FOUND' | 'SUBSCRIPTION_TYPE_NOT_FOUND'>;
  readonly path: string;
}

/** A line with wrong values: all of them in its words, with the code of the first. */
export function rejectValues(wrong: readonly WrongValue[]): { rejection: Rejection } {
  const message = () =>
    textOf(
      wrong.map(({ code, path }) => ({ path, message: LINE_TEXTS[code] })),
      MAX_VALUES,
    );
  return { rejection: { code: wrong[0]?.code ?? 'INVALID_PLATE', message } };
}

/**
 * The rejection for fields of the wrong form, which its text names.
 *
 * @param issues returns the issues; called only when they are listed, since zod makes them then
 */
export function rejectShape(issues: () => readonly core.$ZodIssue[]): { rejection: Rejection } {
  return {
    rejection: {
      code: 'INVALID_REQUEST',
      message: () => textOf(issuesOf(issues().slice(0, MAX_ISSUES).map(withFewKeys))),
    },
  };
}

/** One issue may name a hundred thousand unknown properties. */
function withFewKeys(issue: core.$ZodIssue): core.$ZodIssue {
  return issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, MAX_ISSUES) } : issue;
}

function textOf(issues: readonly Issue[], most = MAX_ISSUES): Text {
  const listed = issues.slice(0, most).map(({ path, message }) => {
    return { en: `${path}: ${message.en}`, it: `${path}: ${message.it}` };
  });
  return { en: listed.map(({ en }) => en).join('; '), it: listed.map(({ it }) => it).join('; ') };
}
