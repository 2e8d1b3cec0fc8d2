import * as z from 'zod';
import { notedInstant } from '../platform/kv-note.ts';
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
      phase: z.enum(PHASES),
      since: notedInstant,
      sentAt: notedInstant.nullable(),
    }),
  ),
});

/** The alerts that are open, as text; null where there are none yet. */
export const readAlertText = (kv: KVNamespace): Promise<string | null> => kv.get(KEY, { type: 'text' });

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
