/** What comes before, what is repeated to 64 KiB, what comes behind. */
type Filled = readonly [before: string, pump: string, behind: string];

/** Regular expressions that meet what was sent or stored, as they are written, with what keeps each busy longest. */
export const WORST: Readonly<Record<string, readonly Filled[]>> = {
  '/"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"?/g': [
    ['', '\\"', ''],
    ['"', '\\', ''],
    ['', '"', ''],
    ['"', 'a', ''],
  ],
  '/"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"?|-?\\d[\\d.eE+-]*/g': [
    ['', '\\"', ''],
    ['"', '\\', ''],
    ['', '-', ''],
    ['', '1.e+-', 'x'],
  ],
  '/"[^"]*"/g': [
    ['', '"a', ''],
    ['"', 'a', ''],
  ],
  '/("[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"?)|\\s+/g': [
    ['', '\\"', ''],
    ['"', '\\', ''],
    ['', ' ', 'x'],
    ['"', 'a', ''],
  ],
  '/(?<=\\.) /': [['', '. ', '']],
  '/:(\\w+)/g': [
    ['', ':', ''],
    ['', ':a', ''],
  ],
  '/NOT NULL constraint failed: ((?!journal\\.)\\w+\\.municipality_id|source_imports\\.last_outcome|municipalities\\.tenant_id)/':
    [
      ['', 'NOT NULL constraint failed: ', ''],
      ['NOT NULL constraint failed: ', 'a', ''],
    ],
  '/[;,|]|\\s\\+\\s/': [
    ['', ' ', 'x'],
    ['', ' +', 'x'],
  ],
  '/\\/|\\s[–—]\\s/': [
    ['', ' ', 'x'],
    ['', ' –', 'x'],
    ['', '/ ', 'x'],
  ],
  '/\\\\(?:u00([0-7][0-9a-f])|[\\s\\S])/gi': [
    ['', '\\', ''],
    ['', '\\u00', ''],
    ['', '\\u004', ''],
  ],
  '/\\r?\\n$/': [
    ['', '\r', 'x'],
    ['', '\r\n', 'x'],
  ],
  '/\\r?\\n/': [['', '\r', '']],
  '/\\s+/': [['', ' ', 'x']],
  '/^(\\d{1,2})[-/.](\\d{1,2})[-/.](\\d{4})(?:[T ]+(\\d{1,2})[:.](\\d\\d)(?:[:.](\\d\\d)(?:[.,]\\d+)?)?)?$/':
    [
      ['01.01.2026', ' ', 'x'],
      ['01.01.2026 10:00:00.', '1', 'x'],
    ],
  '/^(\\d{1,5})\\/(\\w+)$/': [['1/', 'a', '-']],
  '/^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?:[T ]+(\\d{1,2})[:.](\\d\\d)(?:[:.](\\d\\d)(?:[.,]\\d+)?)?)?$/':
    [
      ['2026-01-01', ' ', 'x'],
      ['2026-01-01 10:00:00.', '1', 'x'],
    ],
  '/^-?\\d{1,15}$/': [['-', '1', 'x']],
  '/^DB_\\w+$/': [['DB_', 'a', '-']],
  '/^\\[("(?:[^"\\\\]|\\\\.)*"),/': [
    ['["', 'a', ''],
    ['["', '\\"', ''],
    ['["', '\\', ''],
  ],
  '/network connection lost|object to be reset|code was updated|transient issue/i': [
    ['', 'network connection los', ''],
    ['', 'object to be ', ''],
  ],
  '/pev_(?:at|ak)_[0-9A-Za-z_]*/gi': [
    ['', 'pev_', ''],
    ['pev_at_', 'a', '-'],
    ['', 'pev_at_', '-'],
  ],
};

const TYPED = 'what the person at this terminal has just typed, who alone waits for it';
const SETTING = 'an address that whoever runs the client or the page has set';

/** Those that meet nothing that was sent or stored, and what they meet instead. */
export const KEPT_AWAY: Readonly<Record<string, string>> = {
  '/=+$/': 'a digest of twelve bytes that the client itself has made',
  '/\\/+$/': SETTING,
  '/^error: /': TYPED,
  "/^error: command-argument value '(.*)' is invalid for argument '(.+?)'\\. (.*)$/s": TYPED,
  "/^error: missing required argument '(.+)'$/": TYPED,
  "/^error: option '(.+)' argument missing$/": TYPED,
  "/^error: option '(.+?)' argument '(.*)' is invalid\\. (.*)$/s": TYPED,
  "/^error: required option '(.+)' not specified$/": TYPED,
  "/^error: too many arguments(?: for '(.+?)')?\\..*$/s": TYPED,
  "/^error: unknown command '(.+?)'(?:\\n\\(Did you mean (.+?)\\?\\))?$/s": TYPED,
  "/^error: unknown option '(.+?)'(?:\\n\\(Did you mean (.+?)\\?\\))?$/s": TYPED,
};

/** Those that repeat nothing, or one kind of character from the text's beginning to its end: anything is their worst. */
export const SIMPLE: readonly string[] = [
  '/[;|]/',
  '/[A-Za-z0-9]/',
  '/[A-Za-z]/',
  '/[\\p{L}\\p{Nd}]/u',
  '/[\\r\\n]/',
  '/\\S/',
  '/\\p{Cc}/gu',
  '/\\p{Cc}/u',
  '/\\p{M}/gu',
  '/\\p{M}/u',
  '/\\s/',
  '/^"|"$/g',
  '/^(?!000)[0-9]{3}$/',
  '/^(?:0|[1-9]\\d{0,2})$/',
  '/^([01][0-9]|2[0-3]):[0-5][0-9] (0[1-9]|[12][0-9]|3[01])\\/(0[1-9]|1[0-2])\\/[0-9]{4}$/',
  '/^(\\d{1,9})([smhd])$/',
  '/^(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.(\\d{1,9}))?)?(?:Z|([+-])(\\d\\d):(\\d\\d))$/',
  '/^(all|tutte|tutti|\\*)$/i',
  '/^(pev_at|pev_ak)_([0-9a-f]{24})_[0-9a-f]{64}_([0-9a-f]{32})$/',
  '/^P(?=\\d)(?:(\\d{1,5})Y)?(?:(\\d{1,5})M)?(?:(\\d{1,5})W)?(?:(\\d{1,5})D)?$/',
  '/^W\\//',
  '/^[0-9]{1,5}$/',
  '/^[0-9]{3}$/',
  '/^[0-9a-f.:]{2,45}$/i',
  '/^[0-9a-f]{24}$/',
  '/^[0-9a-f]{8}$/',
  '/^[1-9]\\d{0,4}$/',
  '/^[A-Z0-9 ]+$/',
  '/^[A-Z0-9 ]{1,20}$/',
  '/^[A-Z0-9]{1,15}$/',
  '/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/',
  '/^[A-Za-z0-9_-]{16}$/',
  '/^[A-Za-z]/',
  '/^[\\x21-\\x7e]+$/',
  '/^[^\\p{Cc}\\p{Cs}]*$/u',
  '/^\\d+$/',
  '/^\\d{1,6}$/',
  '/^\\d{1,7}$/',
  '/^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?(Z|[+-]\\d{2}:\\d{2})$/',
  '/^\\w$/',
  '/^https?$/',
  '/^https?:$/',
  '/^it([_.@-]|$)/i',
  '/^pev_ak_/',
  '/^pev_ak_[0-9a-f]{24}_[0-9a-f]{64}_[0-9a-f]{32}$/',
  '/^pev_at_([0-9a-f]{24})_/',
  '/^pev_at_/',
  '/^pev_at_[0-9a-f]{24}_[0-9a-f]{64}_[0-9a-f]{32}$/',
  '/overloaded/i',
];
