import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { folded, widthOf } from '../terminal/fold.ts';
import { type Counted, counted, durationOf } from '../terminal/numbers.ts';
import { fieldLines, tableLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { evidenceWord } from './evidence-words.ts';
import { outcomeText, reasonText } from './reason-words.ts';
import { recordValue } from './record.ts';
import { statusText } from './status-words.ts';

export type Evidence = Answer<'searchEvidence'>;
type Verdict = Evidence['as_known_then'];
type Change = Evidence['history'][number];

const WORDS = {
  plate: { en: 'plate', it: 'targa' },
  place: { en: 'place', it: 'luogo' },
  at: { en: 'at', it: 'istante' },
  knownAt: { en: 'as known at', it: 'secondo quanto noto il' },
  before: { en: 'known then', it: 'noto allora' },
  now: { en: 'known now', it: 'noto ora' },
  differs: {
    en: 'Today’s facts lead to another answer.',
    it: 'Ciò che si sa ora porta a un’altra risposta.',
  },
  same: {
    en: 'Today’s facts lead to the same answer.',
    it: 'Ciò che si sa ora porta alla stessa risposta.',
  },
  history: { en: 'history', it: 'cronologia' },
  nothing: { en: 'nothing was recorded', it: 'nulla è stato registrato' },
  asked: { en: 'known then ↑   ↓ known later', it: 'noto allora ↑   ↓ noto dopo' },
  late: { en: 'late', it: 'di ritardo' },
  paid: { en: 'paid', it: 'pagato' },
  recorded: { en: 'recorded', it: 'registrato' },
  sources: { en: 'sources then', it: 'sorgenti allora' },
  officer: { en: 'officer', it: 'agente' },
  checks: { en: 'checks around then', it: 'verifiche intorno a quel momento' },
  since: { en: 'the call log reaches back to', it: 'il registro inizia il' },
} as const satisfies Record<string, Text>;
const MORE: Counted = [
  { en: 'more', it: 'altra' },
  { en: 'more', it: 'altre' },
];
type Word = (name: keyof typeof WORDS) => string;

export const wordIn =
  (language: Language): Word =>
  (name) =>
    WORDS[name][language];

/** A page that is printed has so many columns. */
const PAPER = 100;

/** As wide as a page at most: it is printed and copied into files. */
function onPaper(paint: Paint): Paint {
  const columns = Math.min(paint.columns ?? PAPER, PAPER);
  const own = (...[style, text]: Parameters<Paint>): string => paint(style, text);
  return Object.assign(own, { columns });
}

/** Rows of the comparison, in the order in which a clerk asks. */
const COMPARED = [
  'has_valid_entitlement',
  'has_valid_parking',
  'has_valid_subscription',
  'access_granted',
  'access_reason_code',
  'valid_sessions_count',
  'valid_subscriptions_count',
] as const;

/**
 * The answer for people: both verdicts side by side, the history as a time line, the sources and checks of
 * that time.
 */
export function evidenceLines(evidence: Evidence, language: Language, painted: Paint): string[] {
  const paint = onPaper(painted);
  const word = wordIn(language);
  const { municipality, area, differs } = evidence;
  const place = [municipality, ...(area ? [area] : [])].map(({ code, name }) => `${name} (${code})`);
  return [
    ...fieldLines(
      [
        [word('plate'), evidence.plate],
        [word('place'), place.join(', ')],
        [word('at'), `${shownTime(evidence.at)} (${evidenceWord(evidence.event, language)})`],
        [word('knownAt'), shownTime(evidence.known_at)],
      ],
      paint.columns,
    ),
    '',
    ...comparisonLines(evidence, language, paint),
    '',
    differs ? paint('yellow', `≠ ${word('differs')}`) : paint('green', `= ${word('same')}`),
    '',
    ...historyLines(evidence, language, paint),
    '',
    ...sourceLines(evidence, language, paint),
    ...checkLines(evidence, language, paint),
  ];
}

function comparisonLines(evidence: Evidence, language: Language, paint: Paint): string[] {
  const word = wordIn(language);
  const rows = comparisonOf(evidence, language).map(({ name, before, now, differs }) => {
    const shown = (text: string) => (differs ? paint('yellow', text) : text);
    return [differs ? paint('yellow', '≠') : ' ', name, shown(before), shown(now)];
  });
  const titles = [{ title: ' ' }, { title: '' }, { title: word('before') }, { title: word('now') }];
  return tableLines(titles, rows, paint);
}

/** Both verdicts, fact by fact. */
export function comparisonOf({ as_known_then: then, as_known_now: now }: Evidence, language: Language) {
  const [before, after] = [comparable(then, language), comparable(now, language)];
  return [...new Map([...before, ...after])].map(([fact, { name }]) => {
    const [old, today] = [before.get(fact)?.text ?? '–', after.get(fact)?.text ?? '–'];
    return { name, before: old, now: today, differs: old !== today };
  });
}

/** The compared facts of a verdict, with a row for each session and subscription, which may have the same name. */
type Facts = ReadonlyMap<string, { readonly name: string; readonly text: string }>;

function comparable(verdict: Verdict, language: Language): Facts {
  const say = (name: string): string => evidenceWord(name, language);
  if ('refused' in verdict) {
    return factsOf(['fact', [[say('refused'), reasonText(verdict.refused, language)]]]);
  }
  const fields = COMPARED.flatMap((name): [string, string][] =>
    verdict[name] === undefined ? [] : [[say(name), valueText(name, String(verdict[name]), language)]],
  );
  const sessions = verdict.sessions.map(
    ({ session_id, source_code, area, starts_at, ends_at, status }): [string, string] => [
      `${source_code}/${session_id}`,
      `${statusText('session', status)[language]}, ${area.code}, ${shownTime(starts_at)} → ${ends_at === null ? '…' : shownTime(ends_at)}`,
    ],
  );
  const subscriptions = verdict.subscriptions.map(
    ({ subscription_number, status, reason_code }): [string, string] => [
      subscription_number,
      `${statusText('subscription', status)[language]}, ${reasonText(reason_code, language)}`,
    ],
  );
  const { access_control: gate } = verdict;
  const tolerances: [string, string][] =
    gate === undefined
      ? []
      : [
          [say('entry_grace_minutes'), String(gate.entry_grace_minutes)],
          [say('exit_grace_minutes'), String(gate.exit_grace_minutes)],
        ];
  return factsOf(
    ['fact', [...fields, ...tolerances]],
    ['session', sessions],
    ['subscription', subscriptions],
  );
}

const factsOf = (...kinds: readonly (readonly [kind: string, rows: readonly [string, string][]])[]): Facts =>
  new Map(
    kinds.flatMap(([kind, rows]) => rows.map(([name, text]) => [`${kind} ${name}`, { name, text }] as const)),
  );

const valueText = (name: string, value: string, language: Language): string =>
  name === 'access_reason_code' ? reasonText(value, language) : evidenceWord(value, language);

/** Oldest first, with a line after the last version known then. */
function historyLines(
  { history, history_count: count, known_at: knownAt }: Evidence,
  language: Language,
  paint: Paint,
): string[] {
  const word = wordIn(language);
  const mark = paint('yellow', `├── ${shownTime(knownAt)}  ${word('asked')}`);
  const known = history
    .filter((change) => change.known_then)
    .flatMap((change) => changeLines(change, language, paint));
  const later = history
    .filter((change) => !change.known_then)
    .flatMap((change) => changeLines(change, language, paint));
  const hidden = count - history.length;
  return [
    paint('dim', `${word('history')} (${count})`),
    ...(history.length === 0 ? [`│ ${word('nothing')}`] : []),
    ...known,
    mark,
    ...later,
    ...(hidden > 0 ? [`… ${counted(hidden, MORE, language)}`] : []),
  ];
}

/** A text after a mark, folded on a narrow screen, with further lines indented. */
const hanging = (text: string, mark: string, { columns = Number.POSITIVE_INFINITY }: Paint): string[] =>
  folded(text, columns - widthOf(mark) - HANG.length).map(
    (line, index) => `${mark}${index === 0 ? '' : HANG}${line}`,
  );
const HANG = '    ';

/** The line already begins with them. */
const NAMES = ['session_id', 'subscription_number'];
/** Properties whose null has a meaning: the plate was corrected away, the session still runs. */
const TELLING_NULLS = ['plate', 'ends_at'];

function changeLines(change: Change, language: Language, paint: Paint): string[] {
  const { name, delay, said } = changeWords(change, language);
  const late = delay === '' ? '' : paint('yellow', ` (${delay})`);
  return hanging(`${shownTime(change.recorded_at)}  ${name}${late}: ${said}`, '│ ', paint);
}

/** A change in words: its kind, how late it was reported or when it was paid, and the version after it. */
export function changeWords(
  {
    kind,
    source_code,
    key,
    late_by_seconds: late,
    collected_at: paid,
    recorded_at: recorded,
    record,
  }: Change,
  language: Language,
) {
  const said = Object.entries(record)
    .filter(
      ([property, value]) =>
        !NAMES.includes(property) && (value !== null || TELLING_NULLS.includes(property)),
    )
    .map(
      ([property, value]) => `${evidenceWord(property, language)} ${recordValue(property, value, language)}`,
    )
    .join(', ');
  return {
    name: `${evidenceWord(kind, language)} ${[source_code, key].filter((part) => part !== null).join('/')}`,
    delay:
      paid !== undefined
        ? `${WORDS.paid[language]} ${shownTime(paid)}, ${WORDS.recorded[language]} ${shownTime(recorded)}`
        : late === null || late === 0
          ? ''
          : `${durationOf(late)} ${WORDS.late[language]}`,
    said,
  };
}

function sourceLines({ sources }: Evidence, language: Language, paint: Paint): string[] {
  const word = wordIn(language);
  if (sources.length === 0) return [];
  const rows = sources.map(({ code, name, status, last_successful_at: last }) => [
    code,
    name,
    paint(
      status === 'fresh' || status === 'native' ? 'green' : 'yellow',
      statusText('source', status)[language],
    ),
    last === null ? '–' : shownTime(last),
  ]);
  const titles = [{ title: word('sources') }, { title: '' }, { title: '' }, { title: '' }];
  return [...tableLines(titles, rows, paint), ''];
}

/** Which operation a check was, and the officer who looked. */
export const checkWords = (
  { operation, officer_reference: officer }: Evidence['checks'][number],
  language: Language,
): string =>
  [
    evidenceWord(operation, language),
    ...(officer === null ? [] : [`${WORDS.officer[language]} ${officer}`]),
  ].join(', ');

function checkLines(
  { checks, checks_count: count, checks_since: since }: Evidence,
  language: Language,
  paint: Paint,
): string[] {
  const word = wordIn(language);
  const hidden = count - checks.length;
  return [
    ...hanging(`${word('checks')} (${count}; ${word('since')} ${shownTime(since)})`, '', paint).map((line) =>
      paint('dim', line),
    ),
    ...checks.flatMap((check) =>
      hanging(
        `${shownTime(check.at)}  ${checkWords(check, language)}  ${outcomeText(check.outcome, language)}  ${check.request_id}`,
        '',
        paint,
      ),
    ),
    ...(hidden > 0 ? [`… ${counted(hidden, MORE, language)}`] : []),
  ];
}
