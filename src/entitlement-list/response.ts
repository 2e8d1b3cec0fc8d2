import * as z from 'zod';
import { code, count, dateTime } from '../http/response-fields.ts';

/** How the plates of a list are hashed: HMAC-SHA-256 under a key that follows from the caller's access token. */
export const plateHash = z.object({
  algorithm: z.literal('HMAC-SHA-256'),
  bits: z.literal(96),
  key_id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .max(8),
});

/** The facility's settings as they stand. */
export const listedFacility = z.object({
  service_enabled: z.boolean(),
  plate_control_enabled: z.boolean(),
  subscription_access: z.boolean(),
  entry_grace_minutes: count,
  exit_grace_minutes: count,
});

/** The first line of an answer. */
export const headerLine = z.object({
  type: z.literal('list'),
  version: z.literal(1),
  mode: z.enum(['full', 'delta']),
  municipality_code: code,
  area_code: code,
  as_of: dateTime,
  valid_until: dateTime,
  refresh_after_seconds: z.literal(60),
  full_after_seconds: z.literal(86_400),
  plate_hash: plateHash,
  facility: listedFacility,
});

/** Twelve bytes, base64url. */
const twelveBytes = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16}$/)
  .max(16);

const entry = { type: z.literal('entry'), id: twelveBytes, plate: twelveBytes };

/** A parking session in the facility. */
export const sessionLine = z.object({
  ...entry,
  kind: z.literal('session'),
  from: dateTime,
  until: dateTime,
  /** Only where a cancellation lies ahead. */
  cancelled_at: dateTime.optional(),
});

/** A time at which a subscription is valid in the facility. */
export const validInterval = z.object({ from: dateTime, until: dateTime.nullable() });

/** A plate on a subscription that is valid in the facility at some instant ahead. */
export const subscriptionLine = z.object({
  ...entry,
  kind: z.literal('subscription'),
  /** Of a plate and a subscription: periods, each cut by the validities of the plate. */
  valid: z.array(validInterval).min(1).max(100_000),
});

/** An entry that is no more. */
export const removedLine = z.object({ type: z.literal('removed'), id: twelveBytes });

/** The last line of an answer: without it, the answer is not whole. */
export const endLine = z.object({
  type: z.literal('end'),
  cursor: z.string().min(1).max(2_000),
  more: z.boolean(),
  /** Entries and removals of this answer. */
  lines: count,
});

/** A line of the answer. */
export const listLine = z.union([headerLine, sessionLine, subscriptionLine, removedLine, endLine]);

export type HeaderLine = z.infer<typeof headerLine>;
export type SessionLine = z.infer<typeof sessionLine>;
export type SubscriptionLine = z.infer<typeof subscriptionLine>;
export type RemovedLine = z.infer<typeof removedLine>;
export type EndLine = z.infer<typeof endLine>;
export type ListLine = z.infer<typeof listLine>;
