import type { Language } from '../../../src/base/text/text.ts';

/**
 * The service's own words in Italian: an objection is answered from them. English tables show them unchanged,
 * and codes stay codes in both.
 */
const ITALIAN: Readonly<Record<string, string>> = {
  true: 'sì',
  false: 'no',

  verify: 'controllo',
  entry: 'entrata',
  exit: 'uscita',

  refused: 'rifiutato',
  has_valid_entitlement: 'titolo valido',
  has_valid_parking: 'sosta valida',
  has_valid_subscription: 'abbonamento valido',
  access_granted: 'accesso consentito',
  access_reason_code: 'motivo',
  valid_sessions_count: 'soste valide',
  valid_subscriptions_count: 'abbonamenti validi',
  entry_grace_minutes: 'minuti di tolleranza in entrata',
  exit_grace_minutes: 'minuti di tolleranza in uscita',

  parking_session: 'sosta',
  subscription: 'abbonamento',

  session_id: 'sosta',
  source_code: 'sorgente',
  subscription_number: 'abbonamento',
  plate: 'targa',
  plates: 'targhe',
  area_code: 'area',
  areas: 'aree',
  starts_at: 'inizio',
  ends_at: 'fine',
  cancelled_at: 'annullata',
  revision: 'revisione',
  type: 'tipo',
  approval: 'approvazione',
  authorized_from: 'autorizzato da',
  authorized_until: 'autorizzato fino a',
  suspended_from: 'sospeso da',
  suspended_until: 'sospeso fino a',
  revoked_at: 'revocato',
  valid_from: 'valida da',
  valid_until: 'valida fino a',
  periods: 'periodi',
  approved: 'approvata',
  pending: 'in attesa',
  rejected: 'respinta',
  all: 'tutte',

  plate_check: 'verifica della targa',
  plate_check_v1: 'verifica della targa (V1)',
  patrol: 'pattuglia',
};

/**
 * One of the service's words, in the reader's language. A newer word than this command knows is shown
 * unchanged.
 */
export const evidenceWord = (word: string, language: Language): string =>
  language === 'it' && Object.hasOwn(ITALIAN, word) ? (ITALIAN[word] ?? word) : word;
