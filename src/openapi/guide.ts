import type { Section } from './parts.ts';

/** What the document says of the service as a whole. */
export const GUIDE = `
A barrier asks whether a vehicle may enter or leave a prepaid car park; an officer's device whether a plate holds a
session or a subscription; a parking meter which plans a plate can buy; a page how full the streets are.

### A negative, and an error

- **A valid negative is a 200.** The service looked, and says no: \`has_valid_entitlement\` false, \`access_granted\` false,
  \`eligible\` false, no rows. The answer has the reason.
- **An error is any other status**, with \`success\` and \`ok\` false and a code in \`error.code\`. Nothing was verified. An
  error is never a refusal: it says nothing about a vehicle, and holds no field that could be read as if it did. The same
  holds for a time-out, and for an answer that is no JSON.
- **A 500 \`TEMPORARY_ERROR\`** is whatever failed on the side of the service: ask again.

| a barrier gets | it does |
|---|---|
| 200, \`access_granted\` true | open |
| 200, \`access_granted\` false | stay shut, and show \`access_reason\` |
| 500, a time-out, no connection | ask again at once; then the car park's own rule for failures, never "not allowed" |
| 429 | ask again after \`Retry-After\` seconds |
| 401, 403, 404, 415, 422 | a setting is wrong: the car park's own rule for failures, and tell whoever maintains it |

### What is verified, and when

\`verification_complete\` false means that the answer leaves something open: a subscription of the plate is limited to
areas, and no area was given. It is neither confirmed nor denied; ask again with \`area_code\` (\`requires_area_code\` is
true, and \`warnings\` has \`AREA_CODE_REQUIRED\`).

Every interval contains its start and not its end. Instants are ISO 8601 with an offset; answers show them in the time
zone of the municipality, the administrator's in UTC, with no fraction of a second or one of exactly three digits.

### Every answer

- \`request_id\`, also in the header \`X-Request-Id\`: quote it to support. An id that a client sends is ignored.
- Texts for people are English, or Italian where \`Accept-Language\` prefers it. Codes never change with the language.
- \`Cache-Control: no-store, private\`, but for this description and what is public: those have an \`ETag\`.
- Null is the same as absent in every optional field of a request, but in what the administrator puts, where it resets.
- Texts are trimmed; codes compare exactly. A body is JSON in UTF-8, of 64 KiB at most (the configuration: 1 MiB;
  imports: 8 MiB).
- A path asked with another method answers 405 with \`Allow\`; an unknown path 404 \`NOT_FOUND\`.

### The order of checks

Path, method, credential (401, 403), budget (429), content type (415), size (413), JSON (400), fields (422),
municipality (422, 403), service (403), then what the fields name (404, 422). The first that fails is the answer.

### Budgets

A credential has three: \`calls\` (plate checks and reports), \`options\` and \`imports\`, each with the same limit in any
window. A call that is refused before the budget costs none; every later one costs one, errors included.
`.trim();

export const SECTIONS: Readonly<Record<Section, string>> = {
  'Plate check': 'Whether a vehicle may park, and whether a gate opens.',
  'Parking meters': 'What a plate can buy.',
  Reports: 'How full streets and facilities are.',
  Public: 'What anybody may ask, without a credential.',
  Imports: 'Sessions from whoever sells them, subscriptions from the office.',
  Administration:
    'For the administrator of the service alone: the configuration, the credentials, the call log. Answers 404 where no administrator is set up.',
  Service: 'About the service itself.',
};

/** The security schemes, by name. */
export const SECURITY_SCHEMES = {
  AccessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pev_at_…',
    description:
      '`Authorization: Bearer <access token>`. Where several headers are sent, this one decides. An opaque token, no JWT.',
  },
  ServiceToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Token',
    description:
      'The access token, in the header of earlier integrations. Decides where no `Authorization` is sent.',
  },
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description:
      'The API key, in the header of earlier integrations. Decides where neither of the others is sent.',
  },
  AdministratorToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      '`Authorization: Bearer <ADMIN_TOKEN>`: the administrator’s secret, which nothing else takes.',
  },
} as const;
