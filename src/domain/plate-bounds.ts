/*
 * The most rows of a plate that a call reads, of those that can matter to it. If there are more, the call fails: it is never a "no".
 */

export const MAX_READ_SESSIONS = 2_000;
export const MAX_READ_SUBSCRIPTIONS = 2_000;

/** The kind of rows that are too many. */
export type Unread = 'sessions' | 'subscriptions' | 'history';

/** The kinds of which so many rows of a plate were found that the answer would not rest on all of them. */
export const unreadOf = (sessions: number, subscriptions: number): readonly Unread[] => [
  ...(sessions > MAX_READ_SESSIONS ? (['sessions'] as const) : []),
  ...(subscriptions > MAX_READ_SUBSCRIPTIONS ? (['subscriptions'] as const) : []),
];
