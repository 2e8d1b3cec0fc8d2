import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { fieldLines, tableLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { fieldWord, scopeWord } from './credential-words.ts';
import { statusText } from './status-words.ts';

export type Credential = Answer<'listCredentials'>['credentials'][number];

const NONE: Record<string, Text> = {
  ip_allowlist: { en: 'any address', it: 'qualsiasi indirizzo' },
  expires_at: { en: 'never', it: 'mai' },
  historical_days_allowed: { en: 'no bound', it: 'senza limite' },
  areas: { en: 'all', it: 'tutte' },
};

/** All fields of a credential, one a line. */
export function credentialLines(
  credential: object,
  language: Language,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  return fieldLines(
    Object.entries(credential).map(([name, value]): [string, string] => [
      fieldWord(name, language),
      shown(name, value, language),
    ]),
    columns,
  );
}

function shown(name: string, value: unknown, language: Language): string {
  if (value === null) return NONE[name]?.[language] ?? '–';
  if (name === 'scopes' && Array.isArray(value)) {
    return value.map((scope) => scopeWord(String(scope), language)).join(', ');
  }
  if (Array.isArray(value)) return value.join(', ');
  if (name === 'status') return statusWord(String(value), language);
  if (name === 'rate_limit' && typeof value === 'object') {
    return `${Reflect.get(value, 'limit')}/${Reflect.get(value, 'window_seconds')}s`;
  }
  return shownTime(String(value));
}

const STATUSES = ['active', 'expired', 'revoked'] as const satisfies readonly Credential['status'][];

function statusWord(status: string, language: Language): string {
  const known = STATUSES.find((one) => one === status);
  return known === undefined ? status : statusText('credential', known)[language];
}

/** A table of credentials. */
export function credentialTable(
  credentials: readonly Credential[],
  say: (text: Text) => string,
  paint: Paint,
): string[] {
  const titles = [
    { title: 'id' },
    { title: say({ en: 'name', it: 'nome' }) },
    { title: say({ en: 'tenant', it: 'ente' }) },
    { title: say({ en: 'status', it: 'stato' }) },
    { title: say({ en: 'scopes', it: 'ambiti' }) },
    { title: say({ en: 'municipality', it: 'comune' }) },
  ];
  const rows = credentials.map((one) => [
    one.credential_id,
    one.name,
    one.tenant,
    paint(one.status === 'active' ? 'green' : 'yellow', say(statusText('credential', one.status))),
    one.scopes.join(', '),
    one.municipalities.join(', '),
  ]);
  return tableLines(titles, rows, paint);
}
