import type { Language } from '../../../src/base/text/text.ts';

/** The language of the page: its address chose it. */
export const language: Language = document.documentElement.lang === 'it' ? 'it' : 'en';

/** A text in the page's language. */
export const say = (english: string, italian: string): string => (language === 'it' ? italian : english);

/** Words by code, in the page's language. */
function inLanguage<Code extends string>(
  words: Readonly<Record<Code, readonly [english: string, italian: string]>>,
): Readonly<Record<Code, string>> {
  const entries = Object.entries<readonly [string, string]>(words).map(([code, both]) => [
    code,
    say(...both),
  ]);
  // The same codes, each with one of its two words.
  return Object.fromEntries(entries);
}

/** The word for a code; a newer code than this page knows is shown as it is. */
export const wordFor = (words: Readonly<Record<string, string>>, code: string): string => words[code] ?? code;

/** The sections of the page. */
export const SECTION = inLanguage({
  ...{ plate: ['Plate', 'Targa'], titles: ['Permits', 'Abbonamenti'], import: ['Import', 'Importazione'] },
  ...{
    payments: ['Payments', 'Pagamenti'],
    credentials: ['Credentials', 'Credenziali'],
    city: ['City', 'Comune'],
  },
});

/** What the client finds out by itself, and what to do about a token. */
export const FAILURE = inLanguage({
  NETWORK_ERROR: [
    'The service cannot be reached. Is this computer connected?',
    'Il servizio non è raggiungibile. Questo computer è collegato?',
  ],
  TIMED_OUT: ['The service did not answer in time.', 'Il servizio non ha risposto in tempo.'],
  NOT_OUR_ANSWER: [
    'Something between this computer and the service answered in its place.',
    'Ha risposto qualcosa tra questo computer e il servizio.',
  ],
  TOKEN_INVALID: [
    'This is not an access token of this service. Copy all of it, including pev_at_.',
    'Non è un token di accesso di questo servizio. Copialo intero, da pev_at_ in poi.',
  ],
  SCOPE_NOT_ALLOWED: [
    'This credential may not do that. The office needs the scope “office” or “office_read”.',
    'Questa credenziale non può farlo. All’ufficio serve l’ambito “office” o “office_read”.',
  ],
});

export const SESSION_STATUS = inLanguage({
  ...{
    valid: ['valid', 'valida'],
    not_started: ['not started', 'non iniziata'],
    expired: ['ended', 'finita'],
  },
  cancelled: ['cancelled', 'annullata'],
});

export const TITLE_STATUS = inLanguage({
  ...{ revoked: ['revoked', 'revocato'], suspended: ['suspended', 'sospeso'], active: ['active', 'attivo'] },
  ...{ approved: ['approved', 'approvato'], expired: ['expired', 'scaduto'] },
});

/** Why a title is valid or not. */
export const TITLE_REASON = inLanguage({
  SUBSCRIPTION_REVOKED: ['it is revoked', 'è revocato'],
  SUBSCRIPTION_SUSPENDED: ['it is suspended', 'è sospeso'],
  AUTHORIZATION_NOT_YET_ACTIVE: ['its authorization has not begun', 'l’autorizzazione non è ancora iniziata'],
  AUTHORIZATION_EXPIRED: ['its authorization has ended', 'l’autorizzazione è finita'],
  FIRST_ACTIVATION_REQUIRED: ['no period has been paid', 'nessun periodo è stato pagato'],
  PERIOD_NOT_YET_ACTIVE: ['its period has not begun', 'il periodo non è ancora iniziato'],
  PERIOD_EXPIRED: ['its period has ended', 'il periodo è finito'],
  AREA_CODE_REQUIRED: ['it is limited to areas: choose one', 'è limitato ad alcune aree: scegline una'],
  AREA_NOT_ALLOWED: ['it does not hold in this area', 'non vale in quest’area'],
  VALID_SUBSCRIPTION: ['valid', 'valido'],
});

/** What a recorded change is of. */
export const KIND = inLanguage({
  ...{ parking_session: ['session', 'sosta'], subscription: ['permit', 'abbonamento'] },
  payment: ['payment', 'pagamento'],
});

export const APPROVAL = inLanguage({
  ...{
    approved: ['approved', 'approvata'],
    pending: ['pending', 'in attesa'],
    rejected: ['rejected', 'respinta'],
  },
});

/** How a source reported. */
export const FRESHNESS = inLanguage({
  ...{
    native: ['the city’s own', 'interna'],
    fresh: ['on time', 'in tempo'],
    stale: ['silent', 'in silenzio'],
  },
  ...{ error: ['failing', 'in errore'], never: ['silent', 'in silenzio'] },
});

/** How somebody looked, and how that ended where it is no error and no reason of a gate. */
export const LOOK = inLanguage({
  ...{ plate_check: ['plate check', 'verifica'], plate_check_v1: ['plate check (V1)', 'verifica (V1)'] },
  ...{
    patrol: ['patrol', 'pattuglia'],
    OK: ['answered', 'risposta data'],
    entitled: ['entitled', 'in regola'],
  },
  ...{ tolerated: ['tolerated', 'tollerata'], not_due: ['nothing due', 'nulla da pagare'] },
  ...{ look_again: ['look again', 'ricontrollare'], no_entitlement: ['no entitlement', 'nessun titolo'] },
  officer_decides: ['the officer decides', 'decide l’agente'],
});

export const PAYMENT_STATE = inLanguage({
  ...{ accepted: ['Accepted', 'Accettati'], unsettled: ['To settle', 'Da definire'] },
  ...{ settled: ['Settled', 'Definiti'], reversed: ['Reversed', 'Stornati'] },
});

export const CREDENTIAL_STATUS = inLanguage({
  ...{ active: ['active', 'attiva'], expired: ['expired', 'scaduta'], revoked: ['revoked', 'revocata'] },
});

/** What a credential may do. */
export const SCOPE = inLanguage({
  ...{ plate_check: ['check plates', 'verifica targhe'], patrol: ['patrol', 'pattuglia'] },
  ...{ report: ['control room', 'sala di controllo'], evidence: ['objections', 'ricorsi'] },
  ...{ import: ['import', 'importazioni'], entitlement_list: ['gate’s list', 'elenco del varco'] },
  subscription_options: ['prices at meters', 'tariffe ai parcometri'],
  subscription_payments: ['payments of meters', 'pagamenti dei parcometri'],
  ...{ office: ['office', 'ufficio'], office_read: ['office, reads only', 'ufficio, sola lettura'] },
});

/** What is held on a plate. */
export const HELD = inLanguage({
  ...{ sessions: ['Sessions', 'Soste'], subscriptions: ['Permits', 'Abbonamenti'] },
  ...{ payments: ['Payments', 'Pagamenti'], history: ['Versions', 'Versioni'], calls: ['Calls', 'Chiamate'] },
});

/** The lists of a city. */
export const CITY_KIND = inLanguage({
  ...{ areas: ['Areas', 'Aree'], sources: ['Sources', 'Sorgenti'], plans: ['Plans', 'Tariffe'] },
  ...{ subscription_types: ['Types of permit', 'Tipi di abbonamento'], settings: ['Services', 'Servizi'] },
});

/** Values of the configuration that are words. */
export const CITY_VALUE = inLanguage({ street: ['street', 'strada'], facility: ['car park', 'parcheggio'] });

/** The properties of an import’s line. */
export const COLUMN = inLanguage({
  ...{ session_id: ['Session', 'Sosta'], plate: ['Plate', 'Targa'], area_code: ['Area', 'Area'] },
  ...{ starts_at: ['Start', 'Inizio'], ends_at: ['End', 'Fine'], cancelled_at: ['Cancelled', 'Annullata'] },
  ...{
    revision: ['Revision', 'Revisione'],
    subscription_number: ['Number', 'Numero'],
    type: ['Type', 'Tipo'],
  },
  ...{ plates: ['Plates', 'Targhe'], plate_valid_from: ['Plate from', 'Targa dal'] },
  ...{ plate_valid_until: ['Plate until', 'Targa al'], approval: ['Application', 'Domanda'] },
  authorized_from: ['Authorized from', 'Autorizzato dal'],
  authorized_until: ['Authorized until', 'Autorizzato al'],
  ...{ areas: ['Areas', 'Aree'], suspended_from: ['Suspended from', 'Sospeso dal'] },
  ...{ suspended_until: ['Suspended until', 'Sospeso al'], revoked_at: ['Ended', 'Terminato'] },
  ...{ periods: ['Periods', 'Periodi'], period_starts_at: ['Period from', 'Periodo dal'] },
  period_ends_at: ['Period until', 'Periodo al'],
});

/** What became of an import’s lines. */
export const COUNT = inLanguage({
  ...{ received: ['Rows', 'Righe'], created: ['New', 'Nuove'], updated: ['Changed', 'Modificate'] },
  unchanged: ['Unchanged', 'Invariate'],
  rejected: ['Rejected by the service', 'Rifiutate dal servizio'],
});
