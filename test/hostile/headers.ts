import fc from 'fast-check';

/** Content types that are nearly right, or not at all. */
export const CONTENT_TYPES = [
  ...[
    '',
    ';',
    'text/plain',
    'application/json;',
    'application/json; charset',
    'application/json; charset="utf-8',
  ],
  ...['application/json; charset=utf-16', 'application/json;charset=UTF-8;charset=utf-7', 'APPLICATION/JSON'],
  ...['application/vnd.api+json', 'application/json, text/plain', 'multipart/form-data; boundary=x'],
  ...['application/x-www-form-urlencoded', `application/json; charset=${' '.repeat(300)}"x`],
];

/** What is beyond ASCII, the runtime sends as it likes: a test with a socket of its own sends that. */
const visible = fc.string({ unit: 'grapheme-ascii' });
export const header = (name: string, ...values: string[]) =>
  fc.oneof(fc.constantFrom(...values), visible).map((value): [string, string] => [name, value]);

/** Tokens of a form that is nearly right, or not at all. */
function strangeToken([token = '', ...others]: readonly string[]): string[] {
  const [prefix, kind, id, secret, checksum] = token.split('_');
  return [
    ...[token.slice(0, -1), `${token}0`, token.toUpperCase(), token.replace('_at_', '_ak_'), ` ${token}`],
    ...[
      `${prefix}_${kind}_${id}_${checksum}_${secret}`,
      `${token},${token}`,
      `${token} ${token}`,
      `"${token}"`,
    ],
    ...[token.replaceAll('0', 'o'), 'pev_at_', 'x', 'a'.repeat(10_000), `pev_at_${'0'.repeat(9_000)}`],
    ...others,
  ];
}

/** The headers that a token comes in, with strange ones. */
export const tokenHeaders = (tokens: readonly string[]) => {
  const strange = strangeToken(tokens);
  return fc.oneof(
    header('Authorization', ...strange.flatMap((token) => [`Bearer ${token}`, token, `Basic ${token}`])),
    header(
      'Authorization',
      '',
      'Bearer',
      'Bearer  ',
      'bearer\tx',
      'Bearer Bearer x',
      'Digest a="b", Bearer x',
    ),
    header('X-Service-Token', ...strange),
    header('X-Api-Key', ...strange),
  );
};

/** Headers that the service reads, and ones that it must not. */
export const OTHER_HEADERS = fc.oneof(
  header(
    'Accept-Language',
    '*',
    'it;q=2, en;q=-1',
    'it'.repeat(4_000),
    'it,'.repeat(3_000),
    'a;'.repeat(4_000),
    ';',
  ),
  header('If-None-Match', '*', 'W/"x"', '"'.repeat(999), 'W/'.repeat(4_000), ','.repeat(8_000)),
  header('CF-Connecting-IP', '', '::', '::1%lo', '1.2.3', '1'.repeat(9_000), '203.0.113.7, 198.51.100.1'),
  header('Content-Length', '', '0', '-1', '1e9', '0x10', '99999999999999999999', 'NaN', '5, 5'),
  header('Content-Encoding', 'gzip', 'br', 'identity'),
  header('Accept', 'text/html', 'application/xml;q=1'),
  header('Origin', 'null', 'https://evil.test'),
  header('X-Request-Id', '0', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'),
  header('X-HTTP-Method-Override', 'DELETE'),
  header('X-Forwarded-For', '127.0.0.1'),
  header('Access-Control-Request-Method', 'POST'),
  header('Range', 'bytes=0-1', 'bytes=9-1,0-'),
  header('Expect', '100-continue'),
);
