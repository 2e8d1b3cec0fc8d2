import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  AREA,
  MUNICIPALITY,
  PLAN,
  SOURCE,
  SUBSCRIPTION_TYPE,
} from '../../src/storage/configuration/kinds.ts';

const KINDS = {
  areas: AREA,
  sources: SOURCE,
  subscription_types: SUBSCRIPTION_TYPE,
  plans: PLAN,
  settings: MUNICIPALITY,
} as const;

/** What the forms leave out: a code names its item; a city's zone and country stay; paid hours are a table of their own. */
const FIXED = ['code', 'codice_tariffa', 'timezone', 'country', 'paid_hours'];

/** The paths of the properties, those of a group one by one. */
const pathsOf = (shape: z.core.$ZodShape): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const group = schema instanceof z.ZodPrefault ? schema.unwrap() : null;
    return group instanceof z.ZodObject ? pathsOf(group.shape).map((inner) => `${name}.${inner}`) : [name];
  });

/** Not named in the import: the page's modules are checked with the types of a browser, which this test has not. */
const FIELDS_MODULE = '../../clients/pages/office/city-fields.ts';

it('The office’s forms have each property that an office may change', async () => {
  vi.stubGlobal('document', { documentElement: { lang: 'en' } });
  const { FIELDS } = await import(FIELDS_MODULE);
  for (const [kind, { whole, administrators }] of Object.entries(KINDS)) {
    const shown = FIELDS[kind].map(([path]: readonly string[]) => path);
    const changeable = pathsOf(whole.shape).filter((path) => ![...FIXED, ...administrators].includes(path));
    expect(shown.toSorted(), kind).toEqual(changeable.toSorted());
  }
});
