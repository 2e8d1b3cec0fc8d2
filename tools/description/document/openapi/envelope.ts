import * as z from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../../../../src/base/errors/error-codes.ts';
import { CONFIGURATION_BODY } from '../../../../src/serving/http/body.ts';

const requestId = z.uuid().describe('The id of the call, as in `X-Request-Id`.');

/** The first fields of every success. */
export const successEnvelope = z.object({
  success: z
    .literal(true)
    .describe('Always true. It is false in an error, which says nothing about a vehicle.'),
  ok: z.literal(true).describe('The same as `success`.'),
  request_id: requestId,
});

/**
 * One issue of a request. The path may name an unknown property, which may be as long as the body. A body has no more
 * issues than bytes.
 */
const errorIssue = z.object({
  path: z.string().max(CONFIGURATION_BODY).describe('The field, such as `areas.3.capacity`.'),
  message: z.string().max(500).describe('What is wrong with it, for people.'),
});

const errorDetails = z
  .object({
    issues: z
      .array(errorIssue)
      .max(CONFIGURATION_BODY)
      .optional()
      .describe('Each issue of a request that is not valid.'),
    failing: z
      .array(z.string().max(10))
      .max(4)
      .optional()
      .describe(
        'The parts of a service that is not ready: `database`, `kv`, `object` (the credentials’ objects), `secret`.',
      ),
  })
  .describe('What exactly is wrong.');

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The body of an error: the envelope and nothing else. */
export const errorAnswer = z
  .object({
    success: z.literal(false).describe('Always false.'),
    ok: z.literal(false).describe('The same as `success`.'),
    request_id: requestId,
    error: z
      .object({
        code: z.enum(ERROR_CODES).describe('What is wrong. The same in every language.'),
        message: z.string().max(500).describe('The same as a text for people.'),
        details: errorDetails.optional(),
      })
      .describe('What is wrong.'),
  })
  .meta({ id: 'ErrorResponse', description: 'An error. It says nothing about a vehicle.' });
