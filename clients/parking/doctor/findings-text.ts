import type { Language, Text } from '../../../src/base/text/text.ts';
import { fieldLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { credentialLines } from '../views/credential.ts';
import { scopeWord } from '../views/credential-words.ts';
import type { Findings, Right, SecretFinding } from './findings.ts';
import { MAX_CLOCK_SECONDS } from './verdict.ts';

const WORDS = {
  service: { en: 'service', it: 'servizio' },
  profile: { en: 'profile', it: 'profilo' },
  environment: { en: 'from the environment', it: 'dall’ambiente' },
  answers: { en: 'answers', it: 'risponde' },
  versions: { en: 'versions', it: 'versioni' },
  clock: { en: 'clock', it: 'orologio' },
  same: { en: 'the same as the service’s', it: 'uguale a quello del servizio' },
  unknown: { en: 'not known', it: 'non noto' },
  municipality: { en: 'municipality', it: 'comune' },
  access: { en: 'access token', it: 'token di accesso' },
  admin: { en: 'administrator’s token', it: 'token di amministratore' },
  rights: { en: 'rights', it: 'diritti' },
} as const satisfies Record<string, Text>;

const STATES: Record<SecretFinding['state'], Text> = {
  works: { en: 'works', it: 'funziona' },
  refused: { en: 'is refused', it: 'è rifiutato' },
  not_set: { en: 'is not set: `parking login` stores it', it: 'manca: `parking login` lo salva' },
  unknown: { en: 'could not be tried', it: 'non si è potuto provare' },
};
const STATE_STYLES = { works: 'green', refused: 'red', not_set: 'yellow', unknown: 'yellow' } as const;
const RIGHTS: Record<Right, string> = { allowed: '✓', not_allowed: '✗' };

/** The findings, one a line. */
export function doctorLines(found: Findings, language: Language, paint: Paint): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const health = found.reachable
    ? paint('green', `${word('answers')} (${found.answered_in_ms} ms)`)
    : paint('red', found.failure ?? '');
  return fieldLines(
    [
      [word('service'), `${found.url}  ${health}`],
      [word('profile'), [found.profile ?? '–', ...environmentOf(found, word)].join(', ')],
      [word('versions'), `parking ${found.parking}, ${word('service')} ${found.service_version ?? '–'}`],
      [word('clock'), clockOf(found.clock_ahead_seconds, language, paint)],
      [word('municipality'), found.municipality ?? '–'],
      ...found.secrets.flatMap((secret) => secretFields(secret, language, paint)),
    ],
    paint.columns,
  );
}

type Word = (name: keyof typeof WORDS) => string;

const environmentOf = ({ from_environment: names }: Findings, word: Word): string[] =>
  names.length === 0 ? [] : [`${names.join(', ')} ${word('environment')}`];

function clockOf(ahead: number | null, language: Language, paint: Paint): string {
  if (ahead === null) return WORDS.unknown[language];
  if (ahead === 0) return WORDS.same[language];
  const seconds = Math.abs(ahead);
  const text: Text =
    ahead > 0
      ? { en: `${seconds} s ahead of the service’s`, it: `${seconds} s avanti rispetto al servizio` }
      : { en: `${seconds} s behind the service’s`, it: `${seconds} s indietro rispetto al servizio` };
  return paint(seconds > MAX_CLOCK_SECONDS ? 'red' : 'yellow', text[language]);
}

function secretFields(secret: SecretFinding, language: Language, paint: Paint): [string, string][] {
  const { kind, state, code, credential_id: id, scopes, credential } = secret;
  const said = [paint(STATE_STYLES[state], STATES[state][language]), ...(code === null ? [] : [`(${code})`])];
  const rights = Object.entries(scopes ?? {}).map(
    ([scope, right]) => `${RIGHTS[right]} ${scopeWord(scope, language)}`,
  );
  return [
    [WORDS[kind][language], [...said, ...(id === null ? [] : [id])].join(' ')],
    ...rights.map((right, index): [string, string] => [
      index === 0 ? `  ${WORDS.rights[language]}` : '',
      right,
    ]),
    ...(credential === null
      ? []
      : credentialLines(withoutSaid(credential), language).map((line): [string, string] => ['', line])),
  ];
}

/** The id and the scopes have lines of their own. */
function withoutSaid(credential: object): object {
  return Object.fromEntries(
    Object.entries(credential).filter(([name]) => name !== 'credential_id' && name !== 'scopes'),
  );
}
