import { describe, expect, it } from 'vitest';
import { preferredLanguage } from '../../src/serving/http/language.ts';

describe('The language of an answer', () => {
  it.each<[string, string]>([
    ['it', 'named'],
    ['it-IT', 'named with a region'],
    ['it-CH-1996, en;q=0.9', 'named with a region and more'],
    ['it, en;q=0.5', 'the greater weight'],
    ['en;q=0.5, it', 'the greater weight, though named later'],
    ['en;q=0.5, it;q=0.501', 'a slightly greater weight'],
    ['fr, it;q=0.8, en;q=0.7', 'the greater weight of the two that there are'],
    ['it, en', 'named first among equals'],
    ['it, *', 'named, while English is only anything'],
    ['it;q=0.1, it-CH;q=0.9, en;q=0.5', 'wanted most in one region'],
    ['it;q=0, it-IT', 'refused in general, and wanted in one region'],
    ['it;q=2, en', 'of a weight beyond 1, which is 1'],
    [' it ; Q=0.9 , en ; q=0.8 ', 'the greater weight, with blanks and a capital'],
    ['it;level="a,b";q=0.9, en;q=0.8', 'the greater weight, after a parameter with a comma'],
  ])('is Italian for %j: %s', (header) => {
    expect(preferredLanguage(header)).toBe('it');
  });

  it.each<[string | null, string]>([
    [null, 'no header'],
    ['', 'an empty one'],
    [',,;q=1,', 'one that names nothing'],
    ['en', 'named'],
    ['en-GB, it;q=0.9', 'named with a region'],
    ['*', 'anything'],
    ['fr', 'another language'],
    ['it;q=0.1, *;q=0.9', 'anything, rather than Italian'],
    ['it;q=0.1, en;q=0.2', 'the greater weight'],
    ['en, it', 'named first among equals'],
    ['en;q=0.5, *;q=0.5', 'named, at the weight of anything'],
    ['it;q=0', 'Italian refused'],
    ['it;q=0, *', 'anything but Italian'],
    ['en;q=0', 'English refused, and nothing else wanted'],
    ['*;q=0', 'nothing wanted'],
    ['en-GB;q=0, *', 'one region of English refused'],
    ['it-IT;q=0, *', 'one region of Italian refused, and no Italian named'],
    ['it;q=-1, en;q=0.1', 'a weight below 0, which is 0'],
    ['ita, itx-IT', 'languages that only begin as Italian does'],
  ])('is English for %j: %s', (header) => {
    expect(preferredLanguage(header)).toBe('en');
  });
});
