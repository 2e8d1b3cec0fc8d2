/** What comes before, what is repeated to 64 KiB, what comes behind. */
type Filled = readonly [before: string, pump: string, behind: string];

/**
 * Regular expressions that meet what was sent or stored and repeat something without a bound, as they are written, with what
 * keeps each busy longest.
 */
export const WORST: Readonly<Record<string, readonly Filled[]>> = {
  '/^([a-z_]+(?:\\.\\w+)*): (.*)$/s': [
    ['', 'a.', '\u0000'],
    ['a', '.a', '\u0000'],
    ['a: ', 'a', '\u0000'],
  ],
  '/^(\\d{4})-(\\d\\d)-(\\d\\d)T(\\d\\d:\\d\\d)(?::(\\d\\d)(?:\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d)$/': [
    ['2026-11-24T06:44:00.', '1', '!'],
  ],
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
  '/^https:\\/\\/[!-~]+$/': [['https://', 'a', ' ']],
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
  '/^[A-Z0-9 ]+$/': [['', 'A ', '-']],
  '/^[\\x21-\\x7e]+$/': [['', 'a', ' ']],
  '/^\\d+$/': [['', '1', 'x']],
  '/^[\\w@%+=:,./-]+$/': [['', 'a', ' ']],
  '/(?<=^|[";,|\\t\\r\\n])\'*[=+\\-@\\t\\r＝＋－＠]/g': [
    ['', "'", 'x'],
    ['', ";'", 'x'],
    [';', '=', ''],
  ],
  "/(?<=^|[\";,|\\t\\r\\n])'('*[=+\\-@\\t\\r＝＋－＠])/g": [
    ['', "'", 'x'],
    ['', ";'", 'x'],
    [';', "'=", ''],
  ],
};

const TYPED = 'what the person at this terminal has just typed, who alone waits for it';
const SETTING = 'an address that whoever runs the client or the page has set';

/** Those that meet nothing that was sent or stored, and what they meet instead. */
export const KEPT_AWAY: Readonly<Record<string, string>> = {
  'RegExp(pattern)': 'a time of day, of five characters: each of its patterns has a fixed length',
  'RegExp(`^[!-~]{1,${MAX_OFFICER_CHARACTERS}}$`)': 'one class of characters, 64 of them at most',
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
