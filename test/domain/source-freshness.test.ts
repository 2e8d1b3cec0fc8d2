import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { type SourceImports, sourceFreshness } from '../../src/domain/source-freshness.ts';
import { noon } from './fixtures.ts';

/** A source whose last import has just succeeded, with one deviation a test. */
const aSource = (deviation: Partial<SourceImports> = {}): SourceImports => ({
  isSystem: false,
  staleAfterMinutes: 15,
  lastOutcome: 'succeeded',
  lastSuccessfulAt: noon(),
  ...deviation,
});

const ago = (ms: number) => ({ lastSuccessfulAt: noon(-ms) });

describe('A source', () => {
  it.each([
    ['native', 'of the system, whatever its imports', { isSystem: true, lastOutcome: 'failed' as const }],
    ['error', 'whose last import failed, though one succeeded before', { lastOutcome: 'failed' as const }],
    ['error', 'whose only import failed', { lastOutcome: 'failed' as const, lastSuccessfulAt: null }],
    [
      'error',
      'whose last import failed long after the success before',
      { lastOutcome: 'failed' as const, ...ago(1e9) },
    ],
    ['never', 'without an import', { lastOutcome: null, lastSuccessfulAt: null }],
    ['fresh', 'whose last success is as old as it may be', ago(15 * MINUTE_MS)],
    ['stale', 'whose last success is a moment older than that', ago(15 * MINUTE_MS + 1)],
    ['fresh', 'that may be older', { ...ago(15 * MINUTE_MS + 1), staleAfterMinutes: 16 }],
    ['fresh', 'whose last success is of a clock that runs ahead', ago(-1)],
  ])('is %s: one %s', (status, _, deviation) => {
    expect(sourceFreshness(aSource(deviation), noon())).toBe(status);
  });
});
