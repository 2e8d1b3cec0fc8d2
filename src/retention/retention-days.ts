import type { Env } from '../env.ts';

/** How long each kind of row is kept, in days of 24 hours. */
export interface RetentionDays {
  readonly callLog: number;
  readonly sessions: number;
  readonly subscriptions: number;
}

/** The Worker's variables, with their defaults. A variable that is no whole number from 1 is a
 * mistake, and throws; so is keeping subscriptions for a shorter time than sessions. */
export function retentionDays(env: Env): RetentionDays {
  const kept = {
    callLog: days('CALL_LOG_RETENTION_DAYS', env.CALL_LOG_RETENTION_DAYS, 90),
    sessions: days('SESSION_RETENTION_DAYS', env.SESSION_RETENTION_DAYS, 400),
    subscriptions: days('SUBSCRIPTION_RETENTION_DAYS', env.SUBSCRIPTION_RETENTION_DAYS, 1_825),
  };
  if (kept.subscriptions < kept.sessions) {
    // A check may look back as far as sessions are kept: a subscription deleted before that would read as a "no".
    throw new RangeError('SUBSCRIPTION_RETENTION_DAYS is less than SESSION_RETENTION_DAYS');
  }
  return kept;
}

function days(name: string, text: string | undefined, byDefault: number): number {
  const value = text === undefined || text === '' ? byDefault : Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`the variable ${name} is not a whole number of days from 1: ${text}`);
  }
  return value;
}
