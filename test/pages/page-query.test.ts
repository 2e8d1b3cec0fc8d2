import { describe, expect, it } from 'vitest';
import { queryOf, readPageQuery } from '../../src/public/pages/page-query.ts';

const read = (search: string) => readPageQuery(new Request(`https://parking.test/cities/H501?${search}`));
const codes = (count: number) => Array.from({ length: count }, (_, index) => `S${index + 1}`);
const areas = (of: readonly string[]) => of.map((code) => `area=${code}`).join('&');

describe('The areas in the address of a page', () => {
  it('count once each, in the order in which they are named', () => {
    expect(read(areas(['S2', 'S1', 'S2', 'S1'])).areas).toEqual(['S2', 'S1']);
    expect(queryOf(read(areas(Array(1_400).fill('S1'))))).toBe('?area=S1');
  });

  it('are 200 at most: every link of the page repeats them', () => {
    expect(read(areas(codes(200))).areas).toEqual(codes(200));
    expect(read(areas(codes(1_400))).areas).toEqual(codes(200));
  });
});
