import * as z from 'zod';
import { ADDRESS_LENGTH, type areas, PRICE_NOTE_LENGTH, WEBSITE_LENGTH } from '../db/schema/configuration.ts';
import { AREA } from './kinds.ts';

const text = z.string().min(1);
const count = z.int().min(0);

/** What nothing but public pages shows of an area: its column, and its schema in public answers. */
const FIELDS = {
  address: { column: 'address', answer: text.max(ADDRESS_LENGTH).nullable() },
  website: { column: 'website', answer: z.url().max(WEBSITE_LENGTH).nullable() },
  price_note: { column: 'priceNote', answer: text.max(PRICE_NOTE_LENGTH).nullable() },
  max_height_cm: { column: 'maxHeightCm', answer: count.nullable() },
  disabled_spaces: { column: 'disabledSpaces', answer: count.nullable() },
  charging_spaces: { column: 'chargingSpaces', answer: count.nullable() },
  closed_until: { column: 'closedUntil', answer: z.iso.datetime({ offset: true }).nullable() },
} as const satisfies Readonly<Record<string, { column: keyof typeof areas.$inferSelect; answer: z.ZodType }>>;

type Fields = typeof FIELDS;
export type ShownName = keyof Fields;
export type ShownColumn = Fields[ShownName]['column'];
// As they are written above.
export const SHOWN = Object.entries(FIELDS) as [ShownName, Fields[ShownName]][];
export const SHOWN_COLUMNS = SHOWN.map(([, { column }]) => column);

/** Their schemas in public answers, with the words of the document. */
// One entry for each.
export const SHOWN_ANSWERS = Object.fromEntries(
  SHOWN.map(([name, { answer }]) => [name, answer.describe(AREA.whole.shape[name].description ?? '')]),
) as { readonly [Name in ShownName]: Fields[Name]['answer'] };
