import * as z from 'zod';
import { MAX_PLATE_LENGTH } from '../../domain/plate.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../../storage/db/schema/columns.ts';

/** The most characters of the caller's name for an officer. */
export const MAX_OFFICER_CHARACTERS = 64;

/** Fields of answers, with the limits that the service and its tables enforce. */

/** A code of the configuration. */
export const code = z.string().min(1).max(CODE_LENGTH);
/** The name of something, for people. */
export const name = z.string().min(1).max(NAME_LENGTH);
/** A normalized plate. */
export const plate = z.string().min(1).max(MAX_PLATE_LENGTH).describe('The normalized plate.');
/** An IANA time zone. */
export const timeZone = z
  .string()
  .min(1)
  .max(NAME_LENGTH)
  .describe('The municipality’s time zone, an IANA name.');
/** A sentence of ours for people, in the language of the answer. */
export const sentence = z.string().min(1).max(500);
/** A code of a list to which later versions may add: no client may refuse one that it does not know. */
export const openCode = <const Codes extends readonly [string, ...string[]]>(codes: Codes) =>
  z.enum(codes).meta({ open: true });
/** More items than a list of codes of ours will ever have. */
export const MAX_CODES = 100;
export const count = z.int().min(0);
export const flag = z.boolean();
/** The form of every instant in an answer: no fraction, or one of exactly three digits. */
export const ANSWERED_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?(Z|[+-]\d{2}:\d{2})$/;
/** An instant with the offset of a municipality's time zone. */
export const dateTime = z.iso.datetime({ offset: true });
/** An instant in UTC, for answers without a municipality: `2026-03-07T16:44:12.000Z`. */
export const utcDateTime = z.iso.datetime();
/** The version of an operation. */
export const version = <Version extends string>(number: Version) =>
  z.literal(number).describe('The version of this operation.');

/** The caller's pseudonym for the officer. */
export const officerReference = z.string().max(MAX_OFFICER_CHARACTERS).nullable();

/** Something that has a code and a name. */
export const place = z
  .object({
    code: code.describe('Its code, as configured. Codes are compared exactly.'),
    name: name.describe('Its name, for people.'),
  })
  .meta({ id: 'Place', description: 'A municipality or an area.' });
