import { describe, expect, it } from 'vitest';
import { isCountry } from '../../src/domain/country.ts';

describe('A country', () => {
  it.each(['AD', 'IT', 'DE', 'ZW'])('is a code of ISO 3166-1: %s', (code) => {
    expect(isCountry(code)).toBe(true);
  });

  it.each(['', 'it', 'I', 'ITA', 'EU', 'UK', 'XX', ' IT', 'IT\n', 'AD AE'])('is not %j', (code) => {
    expect(isCountry(code)).toBe(false);
  });
});
