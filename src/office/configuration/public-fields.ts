import * as z from 'zod';
import { line, params } from '../../serving/administration/fields.ts';
import { holdsNoToken, instantText, NO_TOKEN } from '../../serving/http/fields.ts';
import { ADDRESS_LENGTH, PRICE_NOTE_LENGTH, WEBSITE_LENGTH } from '../../storage/db/schema/configuration.ts';
import {
  MAX_HEIGHT_CM,
  MAX_PUBLIC_AGE_MINUTES,
  MAX_SPECIAL_SPACES,
  MIN_HEIGHT_CM,
  MIN_PUBLIC_AGE_MINUTES,
} from './limits.ts';

/** An address that a page can link to: printable ASCII, as a browser's address bar gives it. */
const website = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => text.length <= WEBSITE_LENGTH && /^https:\/\/[!-~]+$/.test(text) && URL.canParse(text),
      params(
        `must be an address that begins with https://, in ASCII, of at most ${WEBSITE_LENGTH} characters`,
        `deve essere un indirizzo che inizia con https://, in ASCII, di al massimo ${WEBSITE_LENGTH} caratteri`,
      ),
    )
    .refine(holdsNoToken, NO_TOKEN)
    .meta({ pattern: '^https://[!-~]+$', maxLength: WEBSITE_LENGTH });

const spaces = () => z.int().min(0).max(MAX_SPECIAL_SPACES).nullable().optional();

/** What an area shows to the public and nobody else needs. */
export const publicDetails = {
  address: line(ADDRESS_LENGTH).nullable().optional().describe('Where it is, for people. New: null.'),
  website: website().nullable().optional().describe('A page about it: `https:`. New: null.'),
  price_note: line(PRICE_NOTE_LENGTH)
    .nullable()
    .optional()
    .describe('What parking costs there, in a sentence. New: null.'),
  max_height_cm: z
    .int()
    .min(MIN_HEIGHT_CM)
    .max(MAX_HEIGHT_CM)
    .nullable()
    .optional()
    .describe('The greatest height of a vehicle, in centimetres. Null: not known. New: null.'),
  disabled_spaces: spaces().describe('Spaces for disabled drivers. Null: not known. New: null.'),
  charging_spaces: spaces().describe('Spaces where a vehicle is charged. Null: not known. New: null.'),
  closed_until: instantText
    .nullable()
    .optional()
    .describe('Before this instant the public sees it as closed. It keeps nobody out. New: null.'),
};

/** The statements that a municipality's page links to in its footer. */
export const publicStatements = {
  data_protection_url: website()
    .nullable()
    .optional()
    .describe('Its data protection statement, linked from its public page: `https:`. New: null.'),
  accessibility_url: website()
    .nullable()
    .optional()
    .describe('Its accessibility statement, linked from its public page: `https:`. New: null.'),
};

/** How old the figures may be that the public is shown. */
export const publicMaxAge = () =>
  z
    .int()
    .min(MIN_PUBLIC_AGE_MINUTES)
    .max(MAX_PUBLIC_AGE_MINUTES)
    .optional()
    .describe(
      'The age in minutes of the newest success of its sources, past which the public is shown no figures. New: 60.',
    );
