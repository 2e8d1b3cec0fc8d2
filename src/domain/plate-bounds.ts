/*
 * What is stored of one plate in a municipality is bounded when it is stored, so that a call simply reads it. Where a read finds
 * more all the same, the call fails: it is never a "no".
 */

/** How many sessions of a plate may end later than {@link CROWD_WINDOW_MS} before the start of a further one. */
export const MAX_PLATE_SESSIONS = 5_000;
/** How many subscriptions that are not over may name a plate. */
export const MAX_PLATE_SUBSCRIPTIONS = 200;

/** What a call has found too much of. */
export type Unread = 'sessions' | 'subscriptions' | 'history' | 'checks';
