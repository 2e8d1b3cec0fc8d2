import {
  CONFIGURATION_BODY,
  IMPORT_BODY,
  METER_BODY,
  QUERY_BODY,
} from '../../../../src/serving/http/body.ts';

const KIB = 1024;
/** A size in words, such as "8 MiB". */
const sizeOf = (bytes: number): string =>
  bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / KIB} MiB`;

/** The words about the service as a whole. */
export const GUIDE = `
A barrier asks whether a vehicle may enter or leave a prepaid car park; an officer's device asks whether a plate has a
valid session or subscription; a parking meter asks which plans a plate can buy; a web page asks how full the streets are.

## Negative answers and errors

- **A valid negative is a 200.** The service checked, and the answer is no: \`has_valid_entitlement\` false,
  \`access_granted\` false, \`eligible\` false, no rows. The answer contains the reason.
- **An error is any other status**, with \`success\` and \`ok\` false and a code in \`error.code\`. Nothing was verified. An
  error never means that a vehicle may not park: it says nothing about a vehicle, and has no field that could be read that
  way. The same is true of a time-out, and of an answer that is not JSON.
- **A 500 \`TEMPORARY_ERROR\`** is any failure of the service: try again.

| the barrier gets | it should |
|---|---|
| 200, \`access_granted\` true | open |
| 200, \`access_granted\` false | stay shut, and show \`access_reason\` |
| 500, a time-out, no connection | ask again at once; then follow the car park's own rule for failures, never show "not allowed" |
| 429 | ask again after \`Retry-After\` seconds |
| 401, 403, 404, 415, 422 | follow the car park's own rule for failures, and alert its maintainer: a setting is wrong |

## The rules in full

Each operation has a page with its rules as tables: every reason and status, which comes first, and where the boundaries are.

- Where to begin: [a gate](/docs/gate), [a parking meter](/docs/meter), [any other caller](/docs/calling), in curl and Python
- [Plate check and gate](/docs/interface/plate-check), [subscription options](/docs/interface/subscription-options), [payments](/docs/interface/payments),
  [report](/docs/interface/active-by-area), [patrol](/docs/interface/patrol),
  [entitlement list](/docs/interface/entitlement-list)
- [What all of them share](/docs/interface): time, numbers, how far back, which refusal comes first
- [Versions](/docs/versioning): what may change, and how long V1 lives

## What is verified, and when

\`verification_complete\` false means that something is still open: a subscription of the plate is limited to certain
areas, and no area was given. It is neither confirmed nor denied (\`requires_area_code\` is true, and \`warnings\` has
\`AREA_CODE_REQUIRED\`). If \`has_valid_entitlement\` is true, act on it all the same. If it is false, ask again with
\`area_code\`.

Every interval includes its start and excludes its end. Instants are ISO 8601 with an offset (\`Z\`, \`±HH:MM\`, \`±HHMM\`
or \`±HH\`), with an optional fraction after a point or a comma. Answers show them in the time zone of the municipality, or in
UTC in the administration, with no fraction of a second or exactly three digits.

## Every answer

- \`request_id\`, also in the header \`X-Request-Id\`: quote it to support. An id sent by the client is ignored.
- Texts for people are English, or Italian where \`Accept-Language\` prefers it. Codes never change with the language.
- \`Cache-Control: no-store, private\`, except for this description and what is public: those have an \`ETag\`.
- In every optional field of a request, null is the same as absent; only in the configuration and in credentials, null resets a value.
- Texts are trimmed; codes are compared exactly. A body is JSON in UTF-8, of ${sizeOf(QUERY_BODY)} at most (subscription
  options and a meter's payments: ${sizeOf(METER_BODY)}; the configuration: ${sizeOf(CONFIGURATION_BODY)}; imports: ${sizeOf(IMPORT_BODY)}).
- A path answers an unsupported method with 405 and \`Allow\`; an unknown path is a 404 \`NOT_FOUND\`.

## How answers may change

Within a major version, nothing is removed, renamed or given another meaning. Answers may gain properties, and lists that
are described as open (such as the codes of \`warnings\`) may gain values: ignore those that you do not know. Requests may gain
optional fields. A major version stays for at least twelve months after its successor is announced: [versions](/docs/versioning).

## The order of checks

Path, method, credential (401, 403), budget (429), content type (415), size (413), JSON (400), fields (422),
municipality (422, 403), service (403), then what the fields name (404, 422). The first check that fails decides the answer.

## Budgets

A credential has eight: \`calls\` (plate checks, reports and the credential's own data), \`options\`, \`payments\`, \`imports\`, \`evidence\`,
\`lists\` (entitlement lists), \`patrol\` and \`office\` (administration), each with the same limit in any window. A call that is refused
before its budget is checked costs nothing; every other call costs one, even if it fails. A patrol costs one for each plate.
`.trim();

/** The sections of the document, in the order in which they are shown. */
export const SECTIONS = {
  'Plate check': 'Whether a vehicle may park, and whether a gate opens.',
  Patrol: 'What an officer may conclude on the street, and when a “no” cannot be trusted.',
  Evidence: 'What was known when, to judge an objection.',
  'Parking meters': 'What a plate can buy.',
  Reports: 'How full streets and facilities are.',
  Gates: 'The entitlement list for a gate that is offline.',
  Public: 'Free spaces, without a credential.',
  Imports: 'Sessions from the companies that sell them, subscriptions from the office.',
  Administration:
    'The configuration, the credentials, the call log: for the administrator of the service, and in part for the office of a tenant.',
  Service: 'The service itself, and the credential of the call.',
};

/** The security schemes, by name. */
export const SECURITY_SCHEMES = {
  AccessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pev_at_…',
    description:
      '`Authorization: Bearer <access token>`. If several headers are sent, this one decides. An opaque token, not a JWT.',
  },
  ServiceToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Token',
    description:
      'The access token, in the header that earlier integrations use. It decides if no `Authorization: Bearer` is sent.',
  },
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description:
      'The API key, in the header that earlier integrations use. It decides if neither of the others is sent.',
  },
  AdministratorToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      '`Authorization: Bearer <ADMIN_TOKEN>`: the administrator’s secret. Only the administration accepts it.',
  },
} as const;
