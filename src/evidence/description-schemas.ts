import { VERDICT_WORDS } from '../entitlement/description-schemas.ts';
import { verdictFields } from '../entitlement/response.ts';
import { CHANGE_WORDS } from '../history/description-schemas.ts';
import { ENVELOPE_WORDS, inEnvelope } from '../openapi/envelope.ts';
import { input, output } from '../openapi/words.ts';
import { evidenceRequest } from './request.ts';
import { evidenceCheck, evidenceResponse, evidenceSource, historyItem, refusedVerdict } from './response.ts';

export const REQUEST = input(
  'EvidenceRequest',
  evidenceRequest,
  'Which plate, when, and as known when. Unknown properties are refused.',
  {
    plate: 'The plate as it was typed or read. It is normalized as in a plate check.',
    at: 'The instant to judge, in the form of `checked_at`. Not further back than what is kept.',
    known_at:
      'The instant whose knowledge is asked for, also before `at`. Null, blank and absent are the same: `at`. Not before `known_since`, nor further back than what is kept.',
    municipality_code:
      'The municipality. Null, blank and absent are the same: the credential’s only active municipality.',
    area_code: 'The street or facility, an inactive one too. Null, blank and absent are the same: no area.',
    event: 'As in a plate check: what the gate was asked, or `verify`.',
  },
);

export const VERDICT = output(
  'Verdict',
  verdictFields,
  'What a plate check answers, from `verification_scope` to the end.',
  VERDICT_WORDS,
);

export const REFUSED = output(
  'RefusedVerdict',
  refusedVerdict,
  'Why a plate check would have been refused.',
  {
    refused: 'The code of the error.',
  },
);

export const CHANGE = output('Change', historyItem, 'A change that the service stored.', {
  ...CHANGE_WORDS,
  known_then: 'Whether it was recorded at or before `known_at`.',
  late_by_seconds:
    'How long after the session’s own start it was recorded; 0 if before. Null for a subscription, and where the plate has left.',
});

export const SOURCE = output('EvidenceSource', evidenceSource, 'A source, as it was at `known_at`.', {
  code: 'Its code.',
  name: 'Its name then.',
  status: 'How far it could be trusted then, as in a report.',
  last_successful_at: 'Its last import by then that succeeded. Null: none.',
});

export const CHECK = output('EvidenceCheck', evidenceCheck, 'A plate check of this plate.', {
  request_id: 'Leads to the call.',
  at: 'When it was made.',
  operation: 'Its version.',
  credential_id: 'Who made it.',
  outcome: 'What it said: the error’s code, else the gate’s `access_reason_code`, else `OK`.',
});

export const RESPONSE = output(
  'EvidenceResponse',
  inEnvelope(evidenceResponse),
  'What was known of a plate, and what is known today.',
  {
    ...ENVELOPE_WORDS,
    api_version: 'The version of this operation.',
    plate: 'The normalized plate.',
    timezone:
      'The municipality’s time zone today. Every instant but those of the two verdicts is shown in it.',
    municipality: 'The municipality, named as today.',
    area: 'The area, named as today; absent when none was given.',
    event: 'The event that was judged.',
    at: 'The instant that was judged.',
    known_at: 'The instant whose knowledge is shown.',
    known_since: 'Since when the service has records of this municipality.',
    checks_since: 'How far back `checks` reach.',
    generated_at: 'When this was put together.',
    as_known_then:
      'The verdict by what was recorded at or before `known_at`; names and offsets as configured then.',
    as_known_now: 'The verdict by what is known today.',
    differs:
      'Whether the two say another thing: a refusal, an entitlement, or the gate’s decision and its reason.',
    history_count: 'Changes found.',
    history:
      'What changed of the plate’s sessions and subscriptions around the instant, oldest first; the first 200. Of the area alone, when one was given; subscriptions always.',
    sources: 'The sources that were configured at `known_at`, by code.',
    checks_count: 'Checks found.',
    checks:
      'Plate checks of this plate in the 24 hours before and after `at`, whatever the area, oldest first; the first 200.',
  },
);
