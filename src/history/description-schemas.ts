import { output } from '../openapi/words.ts';
import { sessionRecord, subscriptionRecord } from './response.ts';

export const CHANGE_WORDS = {
  recorded_at: 'When the service stored it, by its own clock.',
  request_id: 'The import that brought it. Null for what was stored before the journal began.',
  kind: 'What it is a change of.',
  source_code: 'The session’s source. Null for a subscription.',
  key: 'The session’s id, or the subscription’s number.',
  record: 'How it stood after the change, as an import’s line has it.',
} as const;

export const SESSION_RECORD = output(
  'RecordedSession',
  sessionRecord,
  'A session as an import’s line has it. Where the plate has left it, its id alone, with `plate` null.',
  {
    session_id: 'Unique in its source.',
    plate: 'The normalized plate; null where it has left the session.',
    area_code: 'Where it was bought.',
    starts_at: 'Its start.',
    ends_at: 'Its end. Null while a start-and-stop session runs.',
    cancelled_at: 'From when on it is cancelled. Null: it is not.',
    revision: 'The source’s revision, if it sends any.',
  },
);

export const SUBSCRIPTION_RECORD = output(
  'RecordedSubscription',
  subscriptionRecord,
  'A subscription as an import’s line has it, with one plate alone. Where that plate has left it, its number alone, with no `plates`.',
  {
    subscription_number: 'Unique in the municipality.',
    revision: 'The office’s revision, if it sends any.',
    type: 'The code of its type.',
    plates: 'When the plate is on it. Other plates of it are not shown.',
    approval: 'How the application stands.',
    authorized_from: 'From when it is authorized. Null: unbounded.',
    authorized_until: 'Until when. Null: unbounded.',
    areas: '`all`, or the codes of its areas.',
    suspended_from: 'From when it is suspended. Null: it is not.',
    suspended_until: 'Until when. Null: for good.',
    revoked_at: 'When it is revoked. Null: it is not.',
    periods: 'What was paid for.',
  },
);
