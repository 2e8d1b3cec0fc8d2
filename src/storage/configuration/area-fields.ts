import * as z from 'zod';
import { ADDRESS_LENGTH, type areas, PRICE_NOTE_LENGTH, WEBSITE_LENGTH } from '../db/schema/configuration.ts';
import type { Fields } from './fields.ts';

const text = (longest: number) => z.string().min(1).max(longest).nullable();
const count = () => z.int().min(0).nullable();

/** The fields of an area, in the order of the document. */
export const AREA_FIELDS = {
  code: { column: 'code' },
  name: { column: 'name' },
  area_type: { column: 'areaType' },
  capacity: { column: 'capacity', initial: null },
  latitude: { column: 'latitude', initial: null },
  longitude: { column: 'longitude', initial: null },
  address: {
    column: 'address',
    initial: null,
    answered: text(ADDRESS_LENGTH).describe('Where it is, for people.'),
  },
  website: {
    column: 'website',
    initial: null,
    answered: z.url().max(WEBSITE_LENGTH).nullable().describe('A page about it.'),
  },
  price_note: {
    column: 'priceNote',
    initial: null,
    answered: text(PRICE_NOTE_LENGTH).describe('What parking costs there, for people.'),
  },
  max_height_cm: {
    column: 'maxHeightCm',
    initial: null,
    answered: count().describe('Maximum height of a vehicle, in centimetres.'),
  },
  disabled_spaces: {
    column: 'disabledSpaces',
    initial: null,
    answered: count().describe('Spaces for disabled drivers, free or not.'),
  },
  charging_spaces: {
    column: 'chargingSpaces',
    initial: null,
    answered: count().describe('Spaces with a charging point, free or not.'),
  },
  closed_until: {
    column: 'closedUntil',
    form: 'instant',
    initial: null,
    answered: z.iso
      .datetime({ offset: true })
      .nullable()
      .describe('It is closed before this instant. Null: no closure is planned.'),
  },
  paid_hours: { column: 'paidHours', form: 'json', initial: null },
  active: { column: 'active', initial: true },
  facility: {
    fields: {
      service_enabled: { column: 'serviceEnabled', initial: true },
      plate_control_enabled: { column: 'plateControlEnabled', initial: true },
      subscription_access: { column: 'subscriptionAccess', initial: false },
      entry_grace_minutes: { column: 'entryGraceMinutes', initial: 0 },
      exit_grace_minutes: { column: 'exitGraceMinutes', initial: 0 },
      offline_minutes: { column: 'offlineMinutes', initial: 720 },
    },
  },
} as const satisfies Fields<keyof typeof areas.$inferSelect>;

/** The fields that are only shown to the public. No decision depends on them, except whether the public sees the area as closed. */
export type ShownFields = {
  readonly [Name in keyof typeof AREA_FIELDS as (typeof AREA_FIELDS)[Name] extends {
    readonly answered: z.ZodType;
  }
    ? Name
    : never]: (typeof AREA_FIELDS)[Name];
};
export type ShownName = keyof ShownFields;
export type ShownColumn = ShownFields[ShownName]['column'];

export const SHOWN_FIELDS = Object.entries(AREA_FIELDS).filter(
  (entry): entry is [ShownName, ShownFields[ShownName]] => 'answered' in entry[1],
);

// One entry for each shown field.
export const SHOWN_ANSWERS = Object.fromEntries(
  SHOWN_FIELDS.map(([name, { answered }]) => [name, answered]),
) as { readonly [Name in ShownName]: ShownFields[Name]['answered'] };

export const SHOWN_COLUMNS = SHOWN_FIELDS.map(([, { column }]) => column);
