import type { Instant } from '../domain/instant.ts';
import { MAX_READ_SESSIONS, MAX_READ_SUBSCRIPTIONS, type Unread } from '../domain/plate-bounds.ts';
import type { Judgement } from '../entitlement/judge.ts';
import { sourceOfMost, UnreadError } from '../errors/unread.ts';
import type { Change } from '../history/recorded.ts';
import { type Checks, type EvidenceFacts, isKnownWhole } from './facts.ts';
import { MAX_COUNTED } from './history.ts';

/**
 * Evidence says what a check has answered, so it needs everything that was recorded by then.
 *
 * @param code the municipality's
 * @throws UnreadError
 */
export function requireReadThen(
  judged: Judgement,
  facts: EvidenceFacts,
  knownAt: Instant,
  code: string,
): void {
  if ('refused' in judged) {
    return;
  }
  const { verdict } = judged.checked;
  const unread: Unread[] = [
    ...(isKnownWhole(facts, knownAt) ? [] : (['history'] as const)),
    ...(verdict.sessionsCount > MAX_READ_SESSIONS ? (['sessions'] as const) : []),
    ...(verdict.subscriptionsCount > MAX_READ_SUBSCRIPTIONS ? (['subscriptions'] as const) : []),
  ];
  if (unread.length > 0) {
    throw new UnreadError(code, unread, sourceOfMost(facts.changes));
  }
}

/**
 * A history needs all changes, or as many as are counted.
 *
 * @throws UnreadError
 */
export function requireWholeHistory(
  history: readonly Change[],
  { changes, changesAreWhole }: EvidenceFacts,
  code: string,
): void {
  if (!changesAreWhole && history.length < MAX_COUNTED) {
    throw new UnreadError(code, ['history'], sourceOfMost(changes));
  }
}

/**
 * The same for the checks.
 *
 * @throws UnreadError
 */
export function requireWholeChecks({ areWhole, count }: Checks, code: string): void {
  if (!areWhole && count < MAX_COUNTED) {
    throw new UnreadError(code, ['checks']);
  }
}
