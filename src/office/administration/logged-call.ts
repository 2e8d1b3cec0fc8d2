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
      .describe('The credential’s tenant, or the only one that the administrator’s call is about.'),
    municipality_code: code.nullable().describe('The call’s municipality, if it is about exactly one.'),
    address: z.string().max(NAME_LENGTH).nullable().describe('The client’s address.'),
    http_status: z.int().min(200).max(599).describe('The HTTP status of the answer.'),
    outcome: z
      .string()
      .max(80)
      .describe('The error’s code, else the `result_code` or `access_reason_code`, else `OK`.'),
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
      .describe('What the action was about: a credential’s id, or codes of municipalities or tenants.'),
    officer_reference: officerReference.describe('Who looked, as the caller says. Null: not given.'),
    request: z
      .unknown()
      .describe('The body of `subscription_options` and `subscription_payment`, until erased; else null.'),
    response: z
      .unknown()
      .describe('The answer to `subscription_options` and `subscription_payment`, until erased; else null.'),
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
