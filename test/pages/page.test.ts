import { describe, expect, it } from 'vitest';
import { here, readAsked } from '../../src/public/pages/page.ts';

const read = (search: string) => readAsked(new Request(`https://parking.test/cities/H501?${search}`));
const codes = (count: number) => Array.from({ length: count }, (_, index) => `S${index + 1}`);
const areas = (of: readonly string[]) => of.map((code) => `area=${code}`).join('&');

describe('The areas in the address of a page', () => {
  it('count once each, in the order in which they are named', () => {
    expect(read(areas(['S2', 'S1', 'S2', 'S1'])).query.area).toEqual(['S2', 'S1']);
    expect(here(read(areas(Array(1_400).fill('S1'))), {})).toBe('/cities/H501?area=S1');
  });

  it('are 200 at most: every link of the page repeats them', () => {
    expect(read(areas(codes(200))).query.area).toEqual(codes(200));
    expect(read(areas(codes(1_400))).query.area).toEqual(codes(200));
  });
});
