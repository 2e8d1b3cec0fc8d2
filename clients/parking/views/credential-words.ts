import type { Language } from '../../../src/base/text/text.ts';
import type { Credential } from './credential.ts';

type Field = keyof Credential | 'access_token' | 'api_key';
type Scope = Credential['scopes'][number];

/** The fields of a credential in Italian. English output shows the service's own names. */
const FIELDS: Readonly<Record<Field, string>> = {
  credential_id: 'id',
  tenant: 'ente',
  name: 'nome',
  status: 'stato',
  scopes: 'ambiti',
  municipalities: 'comuni',
  ip_allowlist: 'indirizzi IP ammessi',
  expires_at: 'scade',
  rate_limit: 'limite di chiamate',
  historical_days_allowed: 'giorni consultabili',
  source_code: 'sorgente',
  areas: 'aree',
  location: 'regione',
  created_at: 'creata',
  revoked_at: 'revocata',
  overlap_ends_at: 'vecchi segreti validi fino a',
  access_token: 'token di accesso',
  api_key: 'chiave API',
};

const SCOPES: Readonly<Record<string, string>> = {
  plate_check: 'verifica della targa',
  subscription_options: 'tariffe degli abbonamenti',
  subscription_payments: 'pagamenti degli abbonamenti',
  report: 'report',
  import: 'importazioni',
  evidence: 'ricorsi',
  entitlement_list: 'elenco dei titoli',
  patrol: 'pattuglia',
  office: 'ufficio',
  office_read: 'ufficio, sola lettura',
} satisfies Record<Scope, string>;

/** The name of a field in the reader's language. A newer one than this command knows is shown unchanged. */
export const fieldWord = (name: string, language: Language): string =>
  language === 'it' && Object.hasOwn(FIELDS, name) ? FIELDS[name as Field] : name;

/** A scope in the reader's language, with the code that commands take. */
export const scopeWord = (scope: string, language: Language): string =>
  language === 'it' && Object.hasOwn(SCOPES, scope) ? `${SCOPES[scope]} (${scope})` : scope;
