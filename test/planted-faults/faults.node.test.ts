import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULTS } from './faults.ts';

/** Code that has changed is not a reason to lose a fault: its entry is corrected with the code. */
describe('A fault that is planted', () => {
  it.each(FAULTS)('can be planted: $breaks', ({ file, find, replacement }) => {
    const found = existsSync(file) ? readFileSync(file, 'utf8').split(find).length - 1 : 0;
    expect(found, `how often its text stands in ${file}, which may have changed: correct its entry`).toBe(1);
    expect(replacement).not.toBe(find);
  });

  it.each(FAULTS)('is tried with tests that exist: $breaks', ({ reach }) => {
    expect(reach.filter((path) => !existsSync(path))).toEqual([]);
    expect(reach).not.toEqual([]);
  });

  it('is one of seventy, each of which breaks something else', () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(70);
    expect(new Set(FAULTS.map(({ breaks }) => breaks)).size).toBe(FAULTS.length);
  });
});
