import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { widgetBundle } from '../../tools/widget/bundle.ts';

const MAX_BYTES = 12.5 * 1_024;

describe('The widget’s script', () => {
  const script = new TextDecoder().decode(widgetBundle());

  it('takes 12.5 KiB at most on its way', () => {
    expect(gzipSync(script).length).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('is one file, which imports nothing and builds no code from texts', () => {
    expect(script).not.toMatch(/\bimport\s*[("'{*]|\bfrom\s*["']|\beval\(|new Function/);
  });

  it('names the licence of the library in it', () => {
    expect(script).toContain('BSD-3-Clause');
  });
});
