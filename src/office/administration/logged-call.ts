import * as z from 'zod';
import type { Instant } from '../../domain/instant.ts';
import { code, count, officerReference, utcDateTime } from '../../serving/http/response-fields.ts';
import { MAX_TARGET_LENGTH } from '../../storage/call-log/masked-text.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../../storage/db/schema/columns.ts';

/** A call as it is logged. `request` and `response` are null unless the operation keeps its calls whole. */
export const callFields = z
  .object({
    request_id: z.uuid().describe('The id of the call.'),
    at: utcDateTime.describe('When it began, in UTC.'),
    operation: z
      .string()
      .max(40)
      .describe(
        '`plate_check`, `plate_check_v1`, `subscription_options`, `subscription_payment`, `evidence`, `active_by_area`, `import_sessions`, `import_subscriptions`, `entitlement_list`, `patrol`, `credential` or `admin`.',
      ),
    credential_id: z
      .string()
      .max(CODE_LENGTH)
      .nullable()
      .describe('The id of the credential, if its secret was correct; else null.'),
    tenant: code
      .nullable()
      .describe(
        'The code of the credential’s tenant. For a call of the administrator: of the tenant that it is about, if exactly one.',
      ),
    municipality_code: code
      .nullable()
      .describe(
        'The code of the call’s municipality, if determined. For a call of the administrator: of the municipality that it is about, if exactly one.',
      ),
    address: z.string().max(NAME_LENGTH).nullable().describe('The client’s address.'),
    http_status: z.int().min(200).max(599).describe('The HTTP status of the answer.'),
    outcome: z
      .string()
      .max(80)
      .describe(
        'The error code; else the `result_code` of an options query, a payment or a reversal, or the `access_reason_code` of a gate decision; else `OK`.',
      ),
    duration_ms: count.describe('Its duration, in milliseconds.'),
    action: z
      .string()
      .max(40)
      .nullable()
      .describe(
        'What the administrator or an office did: `configuration.put`, `credential.issue`, `credential.change`, `credential.revoke`, `credential.rotate`, `plate.export`, `plate.erase`, `subscription.export`, `payment.settle`, `payment.reverse`, `municipality.backup`, `municipality.restore` or `municipality.discard_restore`. Null for every other call.',
      ),
    target: z
      .string()
      .max(MAX_TARGET_LENGTH)
      .nullable()
      .describe(
        'What the action was about: the credential’s id, or the codes of the municipalities in the document (of its tenants, if it has no municipality), separated by commas. A long list is cut. Null if none was named, and for every other call.',
      ),
    officer_reference: officerReference.describe(
      'The caller’s pseudonym for the officer who looked. Null: not given.',
    ),
    request: z
      .unknown()
      .describe(
        'The body of a `subscription_options` or `subscription_payment`, with tokens masked: an object, or a text if it was not a JSON object. Null for every other operation, and once the plate was erased.',
      ),
    response: z
      .unknown()
      .describe(
        'The answer to a `subscription_options` or `subscription_payment`. Null for every other operation, and once the plate was erased.',
      ),
  })
  .meta({ id: 'Call', description: 'A logged call. It contains no token.' });

/** A call as read from the log. */
type LoggedCall = Omit<z.infer<typeof callFields>, 'at' | 'request' | 'response'> & {
  readonly at: Instant;
  readonly request: string | null;
  readonly response: string | null;
};

export const presentCall = (call: LoggedCall): z.infer<typeof callFields> => ({
  ...call,
  at: new Date(call.at).toISOString(),
  request: bodyOf(call.request),
  response: bodyOf(call.response),
});

/** A logged body as the JSON object that it was, or the text of another. */
function bodyOf(text: string | null): unknown {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}
