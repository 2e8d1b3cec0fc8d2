import * as z from 'zod';
import { KV_CACHED_SECONDS, notedInstant } from '../../base/platform/kv-note.ts';
import type { Condition } from './conditions.ts';
import { type OpenAlerts, PHASES } from './decide-alerts.ts';

const KEY = 'alerts';

const alertNames = [
  'source_late',
  'snapshots_old',
  'database_filling',
  'retention_behind',
  'setting_unusable',
] as const satisfies readonly Condition['alert'][];

const packed = z.strictObject({
  version: z.literal(1),
  open: z.record(
    z.string(),
    z.strictObject({
      alert: z.enum(alertNames),
      about: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
      begunAt: z.string().nullable(),
      number: z.int().min(1),
      phase: z.enum(PHASES),
      since: notedInstant,
      isTried: z.boolean(),
      sentAt: notedInstant.nullable(),
    }),
  ),
});

/**
 * The alerts, as text; null if there were never any. KV may answer with a value from a minute ago, or longer.
 */
export const readAlertText = (kv: KVNamespace): Promise<string | null> =>
  kv.get(KEY, { type: 'text', cacheTtl: KV_CACHED_SECONDS });

/** Alerts that cannot be read count as none, and are sent again. */
export function unpackAlerts(text: string | null): OpenAlerts {
  try {
    return new Map(text === null ? [] : Object.entries(packed.parse(JSON.parse(text)).open));
  } catch {
    return new Map();
  }
}

export const packAlerts = (alerts: OpenAlerts): string =>
  JSON.stringify({ version: 1, open: Object.fromEntries(alerts) });

export const writeAlertText = (kv: KVNamespace, text: string): Promise<void> => kv.put(KEY, text);
