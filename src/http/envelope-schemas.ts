import * as z from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../errors/error-codes.ts';
import { CONFIGURATION_BODY } from './body.ts';

/** What every success begins with. */
export const successEnvelope = z.object({
  success: z.literal(true),
  ok: z.literal(true),
  request_id: z.uuid(),
});

/**
 * One issue of a request. The path may name a property that the client made up, which may be as long as the body; and a
 * body has no more issues than bytes.
 */
export const errorIssue = z.object({
  path: z.string().max(CONFIGURATION_BODY),
  message: z.string().max(500),
});

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The body of an error with any of these codes: the envelope and nothing else. */
export const errorAnswerOf = <Code extends ErrorCode>(codes: readonly Code[]) =>
  z.object({
    success: z.literal(false),
    ok: z.literal(false),
    request_id: z.uuid(),
    error: z.object({
      code: z.enum(codes),
      message: z.string().max(500),
      details: z.object({ issues: z.array(errorIssue).max(CONFIGURATION_BODY) }).optional(),
    }),
  });

export const errorAnswer = errorAnswerOf(ERROR_CODES);

export type SuccessEnvelope = z.infer<typeof successEnvelope>;
export type ErrorAnswer = z.infer<typeof errorAnswer>;
