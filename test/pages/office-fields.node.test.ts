import { expect, it, vi } from 'vitest';
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

/** What the forms leave out: a code names its item; a city's zone and country stay. */
const FIXED = ['code', 'codice_tariffa', 'timezone', 'country'];

/** A property as it is declared: with properties of its own, or not. */
interface Declared {
  readonly words?: string;
  readonly properties?: Readonly<Record<string, Declared>>;
  readonly isAdministrators?: boolean;
}

const pathsOf = (declared: Readonly<Record<string, Declared>>): string[] =>
  Object.entries(declared).flatMap(([name, { properties, isAdministrators }]) => {
    if (properties !== undefined) return pathsOf(properties).map((inner) => `${name}.${inner}`);
    return isAdministrators || FIXED.includes(name) ? [] : [name];
  });

/** Not named in the import: the page's modules are checked with the types of a browser, which this test has not. */
const FIELDS_MODULE = '../../clients/pages/office/city-fields.ts';

it('The office’s forms have each property that an office may change', async () => {
  vi.stubGlobal('document', { documentElement: { lang: 'en' } });
  const { FIELDS } = await import(FIELDS_MODULE);
  for (const [kind, { declarations }] of Object.entries(KINDS)) {
    const shown = FIELDS[kind].map(([path]: readonly string[]) => path);
    expect(shown.toSorted(), kind).toEqual(pathsOf(declarations).toSorted());
  }
});
