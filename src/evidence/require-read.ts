import type { Instant } from '../domain/instant.ts';
import { MAX_READ_SESSIONS, MAX_READ_SUBSCRIPTIONS, type Unread } from '../domain/plate-reading.ts';
import type { Judgement } from '../entitlement/judge.ts';
import { sourceOfMost, UnreadError } from '../errors/unread.ts';
import type { Change } from '../history/recorded.ts';
import type { EvidenceFacts } from './facts.ts';
import { MAX_COUNTED } from './history.ts';

/**
 * Evidence says what a check has answered: it must not rest on a part of what was recorded by then.
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
  const { changes, changesAreWhole } = facts;
  const { verdict } = judged.checked;
  // The journal is read from its oldest row on, and its time never decreases: behind a later row none was known then.
  const areKnownWhole = changesAreWhole || (changes.at(-1)?.recordedAt ?? knownAt) > knownAt;
  const unread: Unread[] = [
    ...(areKnownWhole ? [] : (['history'] as const)),
    ...(verdict.sessionsCount > MAX_READ_SESSIONS ? (['sessions'] as const) : []),
    ...(verdict.subscriptionsCount > MAX_READ_SUBSCRIPTIONS ? (['subscriptions'] as const) : []),
  ];
  if (unread.length > 0) {
    throw new UnreadError(code, unread, sourceOfMost(changes));
  }
}

/**
 * A history is all there is, or as much of it as is counted.
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
