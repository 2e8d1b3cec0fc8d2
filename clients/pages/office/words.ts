import { NO_TOKEN, say } from '../language.ts';

/** The word for a code; a newer code than this page knows is shown as it is. */
export const wordFor = (words: Readonly<Record<string, string>>, code: string): string => words[code] ?? code;

/** What the client finds out by itself, and what to do about a token. */
export const FAILURE = {
  NETWORK_ERROR: say(
    'The service cannot be reached. Is this computer connected?',
    'Il servizio non è raggiungibile. Questo computer è collegato?',
  ),
  TIMED_OUT: say('The service did not answer in time.', 'Il servizio non ha risposto in tempo.'),
  ABORTED: say(
    'It was stopped. What was stored stays; import the same file again to complete it.',
    'È stato fermato. Ciò che è salvato resta; importa di nuovo lo stesso file per completare.',
  ),
  NOT_OUR_ANSWER: say(
    'Something between this computer and the service answered in its place.',
    'Ha risposto qualcosa tra questo computer e il servizio.',
  ),
  TOKEN_INVALID: NO_TOKEN,
  SCOPE_NOT_ALLOWED: say(
    'This credential may not do that. The office needs the scope “office” or “office_read”.',
    'Questa credenziale non può farlo. All’ufficio serve l’ambito “office” o “office_read”.',
  ),
};

export const SESSION_STATUS = {
  valid: say('valid', 'valida'),
  not_started: say('not started', 'non iniziata'),
  expired: say('ended', 'finita'),
  cancelled: say('cancelled', 'annullata'),
};

/** Why a title is valid or not. */
export const TITLE_REASON = {
  SUBSCRIPTION_REVOKED: say('it is revoked', 'è revocato'),
  SUBSCRIPTION_SUSPENDED: say('it is suspended', 'è sospeso'),
  AUTHORIZATION_NOT_YET_ACTIVE: say('its authorization has not begun', 'l’autorizzazione non è iniziata'),
  AUTHORIZATION_EXPIRED: say('its authorization has ended', 'l’autorizzazione è finita'),
  FIRST_ACTIVATION_REQUIRED: say('no period has been paid', 'nessun periodo è stato pagato'),
  PERIOD_NOT_YET_ACTIVE: say('its period has not begun', 'il periodo non è ancora iniziato'),
  PERIOD_EXPIRED: say('its period has ended', 'il periodo è finito'),
  AREA_CODE_REQUIRED: say('it is limited to areas: choose one', 'è limitato ad alcune aree: scegline una'),
  AREA_NOT_ALLOWED: say('it does not hold in this area', 'non vale in quest’area'),
  VALID_SUBSCRIPTION: say('valid', 'valido'),
};

/** What a recorded change is of. */
export const KIND = {
  parking_session: say('session', 'sosta'),
  subscription: say('permit', 'abbonamento'),
  payment: say('payment', 'pagamento'),
};

export const APPROVAL = {
  approved: say('approved', 'approvata'),
  pending: say('pending', 'in attesa'),
  rejected: say('rejected', 'respinta'),
};

/** How somebody looked, and how that ended where it is no error and no reason of a gate. */
export const LOOK = {
  plate_check: say('plate check', 'verifica'),
  plate_check_v1: say('plate check (V1)', 'verifica (V1)'),
  patrol: say('patrol', 'pattuglia'),
  OK: say('answered', 'risposta data'),
  entitled: say('entitled', 'in regola'),
  tolerated: say('tolerated', 'tollerata'),
  not_due: say('nothing due', 'nulla da pagare'),
  look_again: say('look again', 'ricontrollare'),
  no_entitlement: say('no entitlement', 'nessun titolo'),
  officer_decides: say('the officer decides', 'decide l’agente'),
};

export const PAYMENT_STATE = {
  accepted: say('Accepted', 'Accettati'),
  unsettled: say('To settle', 'Da definire'),
  settled: say('Settled', 'Definiti'),
  reversed: say('Reversed', 'Stornati'),
};

export const CREDENTIAL_STATUS = {
  active: say('active', 'attiva'),
  expired: say('expired', 'scaduta'),
  revoked: say('revoked', 'revocata'),
};

/** What an office may let a credential do: the scopes of offices are the administrator's to give. */
export const SCOPE = {
  plate_check: say('check plates', 'verifica targhe'),
  patrol: say('patrol', 'pattuglia'),
  report: say('control room', 'sala di controllo'),
  evidence: say('objections', 'ricorsi'),
  import: say('import', 'importazioni'),
  entitlement_list: say('gate’s list', 'elenco del varco'),
  subscription_options: say('prices at meters', 'tariffe ai parcometri'),
  subscription_payments: say('payments of meters', 'pagamenti dei parcometri'),
};

/** The properties of an import’s line. */
export const COLUMN = {
  session_id: say('Session', 'Sosta'),
  plate: say('Plate', 'Targa'),
  area_code: 'Area',
  starts_at: say('Start', 'Inizio'),
  ends_at: say('End', 'Fine'),
  cancelled_at: say('Cancelled', 'Annullata'),
  revision: say('Revision', 'Revisione'),
  subscription_number: say('Number', 'Numero'),
  type: say('Type', 'Tipo'),
  plates: say('Plates', 'Targhe'),
  plate_valid_from: say('Plate from', 'Targa dal'),
  plate_valid_until: say('Plate until', 'Targa al'),
  approval: say('Application', 'Domanda'),
  authorized_from: say('Authorized from', 'Autorizzato dal'),
  authorized_until: say('Authorized until', 'Autorizzato al'),
  areas: say('Areas', 'Aree'),
  suspended_from: say('Suspended from', 'Sospeso dal'),
  suspended_until: say('Suspended until', 'Sospeso al'),
  revoked_at: say('Ended', 'Terminato'),
  periods: say('Periods', 'Periodi'),
  period_starts_at: say('Period from', 'Periodo dal'),
  period_ends_at: say('Period until', 'Periodo al'),
};

/** What became of an import’s lines. */
export const COUNT = {
  received: say('Rows', 'Righe'),
  created: say('New', 'Nuove'),
  updated: say('Changed', 'Modificate'),
  unchanged: say('Unchanged', 'Invariate'),
  rejected: say('Rejected by the service', 'Rifiutate dal servizio'),
};
