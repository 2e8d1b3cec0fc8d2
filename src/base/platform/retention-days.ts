import type { Lookback } from '../../domain/check-instant.ts';
import type { Env } from '../../env.ts';

/** How long each kind of row is kept: the Worker's variable, and its default in days of 24 hours. They are independent. */
const VARIABLES = {
  callLog: ['CALL_LOG_RETENTION_DAYS', 90],
  sessions: ['SESSION_RETENTION_DAYS', 400],
  subscriptions: ['SUBSCRIPTION_RETENTION_DAYS', 1_825],
} as const;

/** 1 to 99,999: longer than that is a typing error. */
const WHOLE_DAYS = /^[1-9]\d{0,4}$/;

/** The Worker's variables. One that is unset, or that cannot be read, has its default: no gate may fail for a typo. */
export function retentionDays(env: Env) {
  const days = (kind: keyof typeof VARIABLES): number => {
    const [name, byDefault] = VARIABLES[kind];
    return isReadable(env[name]) ? Number(env[name]) : byDefault;
  };
  return { callLog: days('callLog'), sessions: days('sessions'), subscriptions: days('subscriptions') };
}

/**
 * How far back a check may look.
 *
 * @param historicalDaysAllowed what the credential allows; null for no bound of its own
 */
export function lookbackOf(env: Env, historicalDaysAllowed: number | null): Lookback {
  const { sessions, subscriptions } = retentionDays(env);
  return {
    historicalDaysAllowed,
    sessionRetentionDays: sessions,
    subscriptionRetentionDays: subscriptions,
  };
}

/** The names of the variables that are set, but not to a whole number of days from 1. */
export function unreadableVariables(env: Env): string[] {
  return Object.values(VARIABLES)
    .map(([name]) => name)
    .filter((name) => isSet(env[name]) && !isReadable(env[name]));
}

const isSet = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';
const isReadable = (text: string | undefined): boolean => WHOLE_DAYS.test(text?.trim() ?? '');
