import { describe, expect, it } from 'vitest';
import { AREA_FIELDS, SHOWN_FIELDS } from '../../src/storage/configuration/area-fields.ts';
import type { Fields } from '../../src/storage/configuration/fields.ts';
import {
  MUNICIPALITY_FIELDS,
  PLAN_FIELDS,
  SOURCE_FIELDS,
  SUBSCRIPTION_TYPE_FIELDS,
  TENANT_FIELDS,
} from '../../src/storage/configuration/item-fields.ts';
import { SUBSCRIPTION_FIELDS } from '../../src/storage/db/subscription-fields.ts';
import { atLeastOne, filesBelow, source, withoutComments } from './source.ts';

/**
 * How many files may name a field: of the configuration its column, its declaration, its check, and what shows it; of a subscription
 * its column, its declaration, what makes the rules' value of it, and the rules.
 */
const MOST = 4;

/** A field's name in JSON, and its column's. */
type Spellings = readonly [name: string, column: string];

const spellingsIn = (fields: Fields): Spellings[] =>
  Object.entries(fields).flatMap(([name, field]): Spellings[] => {
    if ('fields' in field) return spellingsIn(field.fields);
    return 'flags' in field ? Object.entries(field.flags) : [[name, field.column]];
  });

/** A single word, such as `address`, has other meanings elsewhere. */
const hasSeveralWords = (name: string): boolean => /[_A-Z]/.test(name);
const isOfSeveralWords = ([name]: Spellings): boolean => hasSeveralWords(name);

const CODE = filesBelow('src').map((path) => ({ path, code: withoutComments(source(path)) }));
const naming = (spellings: Spellings): string[] => {
  const named = new RegExp(`\\b(${spellings.filter(hasSeveralWords).join('|')})\\b`);
  return CODE.filter(({ code }) => named.test(code)).map(({ path }) => path);
};

/** What only carries the fields, and decides nothing by them. */
const CARRIERS = [
  'src/storage/db/schema/configuration.ts',
  'src/storage/configuration/',
  'src/storage/history/configuration-versions-table.ts',
  'src/office/configuration/',
];
/** The kind of an area decides about its other fields, and the type of a plan is another item. */
const DECIDING = ['area_type', 'subscription_type'];

const SHOWN = SHOWN_FIELDS.map(([name, { column }]): Spellings => [name, column])
  .filter(isOfSeveralWords)
  .filter((spellings) => !naming(spellings).some((path) => path.startsWith('src/domain/')));

const ALL = [
  AREA_FIELDS,
  MUNICIPALITY_FIELDS,
  PLAN_FIELDS,
  SOURCE_FIELDS,
  SUBSCRIPTION_TYPE_FIELDS,
  TENANT_FIELDS,
]
  .flatMap(spellingsIn)
  .filter(isOfSeveralWords)
  .filter(([name]) => !DECIDING.includes(name));

/** Credentials have a `revoked_at` of their own. */
const OF_CREDENTIALS = [
  'src/storage/db/schema/credentials.ts',
  'src/serving/access/',
  'src/office/credentials/',
];

/** All but `type` and `areas`, which are rows of other tables in SQL and codes in JSON. */
const OF_SUBSCRIPTIONS = SUBSCRIPTION_FIELDS.map(({ name, column }): Spellings => [name, column]).filter(
  isOfSeveralWords,
);

describe('A field of a subscription', () => {
  it.each(atLeastOne(OF_SUBSCRIPTIONS, 'subscriptions share no field'))(
    `is in at most ${MOST} files of src, where all rules that decide by it count as one: %s`,
    (...spellings) => {
      const places = naming(spellings)
        .filter((path) => !OF_CREDENTIALS.some((start) => path.startsWith(start)))
        .map((path) => (path.startsWith('src/domain/') ? 'src/domain/' : path));
      expect(places).toContain('src/storage/db/subscription-fields.ts');
      expect(new Set(places).size).toBeLessThanOrEqual(MOST);
    },
  );
});

describe('A field of the configuration', () => {
  it.each(atLeastOne(SHOWN, 'no field is only shown'))(
    `is in at most ${MOST} files of src if it is only shown: %s`,
    (...spellings) => {
      expect(naming(spellings).length).toBeLessThanOrEqual(MOST);
    },
  );

  it.each(atLeastOne(ALL, 'there are no fields'))(
    `is in at most ${MOST} files of the configuration, whatever reads it: %s`,
    (...spellings) => {
      const carriers = naming(spellings).filter((path) => CARRIERS.some((start) => path.startsWith(start)));
      expect(carriers.length).toBeGreaterThan(1);
      expect(carriers.length).toBeLessThanOrEqual(MOST);
    },
  );
});
