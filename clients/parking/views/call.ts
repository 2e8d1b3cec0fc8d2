import type { Language } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { folded } from '../terminal/fold.ts';
import { fieldLines } from '../terminal/table.ts';
import { shownTime } from '../time/shown-time.ts';

type Call = Answer<'getCall'>['call'];

/** The fields of a call in Italian. English output shows the service's own names. */
const FIELDS: Readonly<Record<keyof Call, string>> = {
  request_id: 'id della richiesta',
  at: 'ricevuta',
  operation: 'operazione',
  credential_id: 'credenziale',
  tenant: 'ente',
  municipality_code: 'comune',
  address: 'indirizzo IP',
  http_status: 'stato HTTP',
  outcome: 'esito',
  duration_ms: 'durata',
  action: 'azione',
  target: 'oggetto',
  officer_reference: 'agente',
  request: 'richiesta',
  response: 'risposta',
};

/** Operations and actions in Italian; their codes are shown with them. */
const ITALIAN: Readonly<Record<string, string>> = {
  plate_check: 'verifica della targa',
  plate_check_v1: 'verifica della targa V1',
  subscription_options: 'tariffe degli abbonamenti',
  subscription_payment: 'pagamento di un abbonamento',
  evidence: 'ricorso',
  active_by_area: 'report',
  import_sessions: 'importazione di soste',
  import_subscriptions: 'importazione di abbonamenti',
  entitlement_list: 'elenco dei titoli',
  credential: 'propria credenziale',
  patrol: 'pattuglia',
  admin: 'amministrazione',
  'configuration.put': 'configurazione scritta',
  'plate.export': 'targa esportata',
  'subscription.export': 'abbonamento esportato',
  'plate.erase': 'targa cancellata',
  'payment.settle': 'pagamento definito',
  'credential.issue': 'credenziale emessa',
  'credential.change': 'credenziale modificata',
  'credential.revoke': 'credenziale revocata',
  'credential.rotate': 'credenziale ruotata',
  'municipality.backup': 'comune salvato',
  'municipality.restore': 'comune ripristinato',
  'municipality.discard_restore': 'ripristino scartato',
};

/** All fields of a call, one a line; its bodies below, as JSON in lines. */
export function callLines(call: Call, language: Language, columns = Number.POSITIVE_INFINITY): string[] {
  const title = (name: string): string =>
    language === 'it' && Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof Call] : name;
  const all = Object.entries(call);
  const fields = all.filter(([, value]) => !isBody(value));
  const bodies = all.filter(([, value]) => isBody(value));
  return [
    ...fieldLines(
      fields.map(([name, value]): [string, string] => [title(name), shown(name, value, language)]),
      columns,
    ),
    ...bodies.flatMap(([name, value]) => [title(name), ...bodyLines(value, columns)]),
  ];
}

const isBody = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Indented, also where a line is folded. */
const bodyLines = (body: unknown, columns: number): string[] =>
  JSON.stringify(body, null, 2)
    .split('\n')
    .flatMap((line) => {
      const indent = ' '.repeat(line.length - line.trimStart().length + 2);
      return folded(line.trimStart(), Math.max(1, columns - indent.length)).map((part) => indent + part);
    });

function shown(name: string, value: unknown, language: Language): string {
  if (value === null || value === undefined) return '–';
  if (name === 'duration_ms' && language === 'it') return `${value} ms`;
  if (name === 'at') return shownTime(String(value));
  const word =
    language === 'it' && Object.hasOwn(ITALIAN, String(value)) ? ITALIAN[String(value)] : undefined;
  const isNamed = name === 'operation' || name === 'action';
  return isNamed && word !== undefined ? `${word} (${value})` : String(value);
}
