import * as z from 'zod';
import { type Instant, MINUTE_MS } from '../../domain/instant.ts';
import { kvNote, notedInstant } from './kv-note.ts';

/** The last run that renewed every snapshot: none is older. */
export const lastRefresh = kvNote('refreshed', z.strictObject({ version: z.literal(1), at: notedInstant }));

/** Snapshots are written every minute. After five, something is wrong. */
export const areOld = (refreshedAt: number, now: Instant): boolean => refreshedAt < now - 5 * MINUTE_MS;
