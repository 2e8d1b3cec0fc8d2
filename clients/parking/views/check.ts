import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { fieldLines, tableLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { reasonText } from './reason-words.ts';
import { statusText } from './status-words.ts';

export type { Paint };

type Check = Answer<'checkPlate'>;

const WORDS = {
  plate: { en: 'plate', it: 'targa' },
  place: { en: 'place', it: 'luogo' },
  at: { en: 'at', it: 'alle' },
  entitled: { en: 'entitled', it: 'autorizzata' },
  parking: { en: 'session', it: 'sosta' },
  subscription: { en: 'subscription', it: 'abbonamento' },
  gate: { en: 'gate', it: 'varco' },
  opens: { en: 'opens', it: 'si apre' },
  stays: { en: 'stays shut', it: 'resta chiuso' },
  yes: { en: 'yes', it: 'sì' },
  no: { en: 'no', it: 'no' },
  incomplete: {
    en: 'not complete: a subscription of single areas needs --area',
    it: 'non completa: un abbonamento di singole aree richiede --area',
  },
  area: { en: 'area', it: 'area' },
  from: { en: 'from', it: 'da' },
  until: { en: 'until', it: 'a' },
  status: { en: 'status', it: 'stato' },
  reason: { en: 'reason', it: 'motivo' },
} as const satisfies Record<string, Text>;

/** The answer of a plate check, for people. */
export function checkLines(check: Check, language: Language, paint: Paint): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const yesOrNo = (value: boolean): string => paint(value ? 'green' : 'red', word(value ? 'yes' : 'no'));
  const { municipality, area } = check;
  const place = [municipality, ...(area ? [area] : [])].map(({ code, name }) => `${name} (${code})`);
  const head = fieldLines(
    [
      [word('plate'), check.plate],
      [word('place'), place.join(', ')],
      [word('at'), shownTime(check.checked_at)],
      [
        word('entitled'),
        check.verification_complete
          ? yesOrNo(check.has_valid_entitlement)
          : `${yesOrNo(check.has_valid_entitlement)}, ${word('incomplete')}`,
      ],
      [word('parking'), yesOrNo(check.has_valid_parking)],
      [word('subscription'), yesOrNo(check.has_valid_subscription)],
      ...gateFields(check, word, paint),
    ],
    paint.columns,
  );
  return [...head, ...sessionLines(check, language, paint), ...subscriptionLines(check, language, paint)];
}

type Word = (name: keyof typeof WORDS) => string;

function gateFields(check: Check, word: Word, paint: Paint): [string, string][] {
  if (check.access_granted === undefined) return [];
  const opens = check.access_granted;
  const verdict = paint(opens ? 'green' : 'red', word(opens ? 'opens' : 'stays'));
  return [[word('gate'), `${verdict}: ${check.access_reason ?? ''} (${check.access_reason_code})`]];
}

function sessionLines({ sessions, sessions_count }: Check, language: Language, paint: Paint): string[] {
  const word: Word = (name) => WORDS[name][language];
  if (sessions.length === 0) return [];
  const rows = sessions.map((session) => [
    session.session_id,
    session.area.code,
    shownTime(session.starts_at),
    session.ends_at === null ? '–' : shownTime(session.ends_at),
    paint(
      session.is_valid_at_check_time ? 'green' : 'yellow',
      statusText('session', session.status)[language],
    ),
  ]);
  const titles = [
    { title: `${word('parking')} (${sessions_count})` },
    { title: word('area') },
    { title: word('from') },
    { title: word('until') },
    { title: word('status') },
  ];
  return ['', ...tableLines(titles, rows, paint)];
}

function subscriptionLines(
  { subscriptions, subscriptions_count }: Check,
  language: Language,
  paint: Paint,
): string[] {
  const word: Word = (name) => WORDS[name][language];
  if (subscriptions.length === 0) return [];
  const rows = subscriptions.map((one) => [
    one.subscription_number,
    paint(one.is_valid_at_check_time ? 'green' : 'yellow', statusText('subscription', one.status)[language]),
    reasonText(one.reason_code, language),
  ]);
  const titles = [
    { title: `${word('subscription')} (${subscriptions_count})` },
    { title: word('status') },
    { title: word('reason') },
  ];
  return ['', ...tableLines(titles, rows, paint)];
}
