import { type Instant, MINUTE_MS } from './instant.ts';
import { firstMatch, type Rule } from './precedence.ts';

export const FRESHNESS_STATUSES = ['native', 'fresh', 'stale', 'never', 'error'] as const;
export type FreshnessStatus = (typeof FRESHNESS_STATUSES)[number];

type ImportOutcome = 'succeeded' | 'failed';

/** The facts that a source's freshness depends on: its configuration and the outcome of its imports. */
export interface SourceImports {
  /** Belongs to the municipality's own system: nothing has to be imported. */
  readonly isSystem: boolean;
  readonly staleAfterMinutes: number;
  /** Null: there was no import yet. */
  readonly lastOutcome: ImportOutcome | null;
  /** Kept across failures. */
  readonly lastSuccessfulAt: Instant | null;
}

interface Facts {
  readonly source: SourceImports;
  readonly at: Instant;
}

const STATUS: readonly Rule<Facts, FreshnessStatus>[] = [
  { when: ({ source }) => source.isSystem, outcome: 'native' },
  { when: ({ source }) => source.lastOutcome === 'failed', outcome: 'error' },
  { when: ({ source }) => source.lastSuccessfulAt === null, outcome: 'never' },
  { when: isStale, outcome: 'stale' },
];

/**
 * How up to date a source's sessions are at an instant, the first that applies: `native` for a system source,
 * `error` when its last import failed, `never` when none succeeded yet, `stale` when the last success is older than
 * the source allows, else `fresh`.
 */
export function sourceFreshness(source: SourceImports, at: Instant): FreshnessStatus {
  return firstMatch(STATUS, 'fresh', { source, at });
}

function isStale({ source: { lastSuccessfulAt, staleAfterMinutes }, at }: Facts): boolean {
  return lastSuccessfulAt !== null && at - lastSuccessfulAt > staleAfterMinutes * MINUTE_MS;
}
