import * as z from 'zod';
import { changeFields, sessionRecord, subscriptionRecord } from '../../history/response.ts';
import { code, count } from '../../http/response-fields.ts';
import { callFields } from '../logged-call.ts';

/** The most of each list that one answer has. */
export const MOST_EXPORTED = 1_000;

export const exportedSession = z.object({
  municipality_code: code,
  source_code: code,
  ...sessionRecord.required().shape,
});
export const exportedSubscription = z.object({
  municipality_code: code,
  ...subscriptionRecord.required().shape,
});
export const exportedChange = z.object({ municipality_code: code, ...changeFields });

export const exportAnswer = z.object({
  sessions: z.array(exportedSession).max(MOST_EXPORTED),
  subscriptions: z.array(exportedSubscription).max(MOST_EXPORTED),
  history: z.array(exportedChange).max(MOST_EXPORTED),
  calls: z.array(callFields).max(MOST_EXPORTED),
  next: z.string().max(2_000).nullable(),
});

export const erasureAnswer = z.object({
  erased: z.object({ sessions: count, subscriptions: count, history: count, calls: count }),
  more: z.boolean(),
});

export type ExportAnswer = z.infer<typeof exportAnswer>;
export type ErasureAnswer = z.infer<typeof erasureAnswer>;
