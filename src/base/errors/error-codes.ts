import type { Text } from '../text/text.ts';

/** Every error code of the service with its HTTP status. Codes never change with the language. */
export const ERROR_STATUS = {
  INVALID_JSON: 400,
  TOKEN_MISSING: 401,
  TOKEN_INVALID: 401,
  TOKEN_EXPIRED: 401,
  TOKEN_REVOKED: 401,
  SCOPE_NOT_ALLOWED: 403,
  IP_NOT_ALLOWED: 403,
  TENANT_DISABLED: 403,
  MUNICIPALITY_NOT_ALLOWED: 403,
  SERVICE_DISABLED: 403,
  AREA_FORBIDDEN: 403,
  TENANT_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  AREA_NOT_FOUND: 404,
  SOURCE_NOT_FOUND: 404,
  NO_ACTIVE_FACILITIES: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYMENT_CONFLICT: 409,
  CONFIGURATION_CONFLICT: 409,
  RESTORE_CONFLICT: 409,
  CURSOR_GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  INVALID_CONTENT_TYPE: 415,
  INVALID_REQUEST: 422,
  INVALID_PLATE: 422,
  CHECKED_AT_IN_FUTURE: 422,
  CHECKED_AT_OUT_OF_RANGE: 422,
  KNOWN_AT_OUT_OF_RANGE: 422,
  COLLECTED_AT_IN_FUTURE: 422,
  COLLECTED_AT_OUT_OF_RANGE: 422,
  AREA_CODE_REQUIRED: 422,
  MUNICIPALITY_REQUIRED: 422,
  FACILITY_REQUIRED: 422,
  RATE_LIMIT_EXCEEDED: 429,
  TEMPORARY_ERROR: 500,
  NOT_READY: 503,
  BUSY: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The text of each code for the person who reads it, unless the refusal has a more specific one. */
export const ERROR_TEXT: Record<ErrorCode, Text> = {
  INVALID_JSON: {
    en: 'The body is not a JSON object in UTF-8.',
    it: 'Il corpo della richiesta non è un oggetto JSON in UTF-8.',
  },
  TOKEN_MISSING: {
    en: 'No credential was sent: the header Authorization with a Bearer token is missing.',
    it: "Nessuna credenziale inviata: manca l'intestazione Authorization con un token Bearer.",
  },
  TOKEN_INVALID: { en: 'The credential is not valid.', it: 'La credenziale non è valida.' },
  TOKEN_EXPIRED: { en: 'The credential has expired.', it: 'La credenziale è scaduta.' },
  TOKEN_REVOKED: { en: 'The credential has been revoked.', it: 'La credenziale è stata revocata.' },
  SCOPE_NOT_ALLOWED: {
    en: 'The credential does not have the scope of this operation.',
    it: "La credenziale non è abilitata a quest'operazione.",
  },
  IP_NOT_ALLOWED: {
    en: 'The credential does not allow calls from this address.',
    it: 'La credenziale non ammette chiamate da questo indirizzo.',
  },
  TENANT_DISABLED: {
    en: 'The tenant of the credential is disabled.',
    it: "L'ente della credenziale è disabilitato.",
  },
  MUNICIPALITY_NOT_ALLOWED: {
    en: 'The credential is not authorised for this municipality.',
    it: 'La credenziale non è autorizzata per questo comune.',
  },
  SERVICE_DISABLED: {
    en: 'This operation is switched off in the municipality.',
    it: "Quest'operazione è disattivata nel comune.",
  },
  AREA_FORBIDDEN: {
    en: 'area_code: the credential is bound to other areas.',
    it: 'area_code: la credenziale è limitata ad altre aree.',
  },
  TENANT_NOT_ALLOWED: {
    en: 'The credential does the work of its own tenant alone.',
    it: 'La credenziale opera soltanto per il proprio ente.',
  },
  NOT_FOUND: { en: 'There is nothing at this address.', it: "Non c'è nulla a questo indirizzo." },
  AREA_NOT_FOUND: {
    en: 'area_code: the municipality has no active area with this code.',
    it: 'area_code: il comune non ha aree attive con questo codice.',
  },
  SOURCE_NOT_FOUND: {
    en: 'The municipality has no active source with this code or number.',
    it: 'Il comune non ha fonti attive con questo codice o numero.',
  },
  NO_ACTIVE_FACILITIES: {
    en: 'area_type: the municipality has no active facility.',
    it: 'area_type: il comune non ha parcheggi attivi.',
  },
  METHOD_NOT_ALLOWED: {
    en: 'This address does not support this method: see the header Allow.',
    it: "Questo indirizzo non risponde a questo metodo: vedere l'intestazione Allow.",
  },
  CURSOR_GONE: {
    en: 'This cursor has expired. Start again without it.',
    it: 'Il cursore è scaduto. Ricominciare senza.',
  },
  CONFIGURATION_CONFLICT: {
    en: 'The configuration was changed meanwhile: read it again.',
    it: 'La configurazione è stata cambiata nel frattempo: leggerla di nuovo.',
  },
  RESTORE_CONFLICT: {
    en: 'This is not the next part of the backup that is being restored.',
    it: 'Non è la parte successiva della copia in corso di ripristino.',
  },
  PAYMENT_CONFLICT: {
    en: 'payment_id: another payment is stored under this key.',
    it: 'payment_id: con questa chiave è registrato un altro pagamento.',
  },
  PAYLOAD_TOO_LARGE: { en: 'The body is too large.', it: 'Il corpo della richiesta è troppo grande.' },
  INVALID_CONTENT_TYPE: {
    en: 'Content-Type: this operation accepts application/json in UTF-8.',
    it: 'Content-Type: questa operazione accetta application/json in UTF-8.',
  },
  INVALID_REQUEST: {
    en: 'The request is not valid: see details.issues.',
    it: 'La richiesta non è valida: vedere details.issues.',
  },
  INVALID_PLATE: {
    en: 'plate: it is blank, too long, or contains a character that cannot be part of a plate.',
    it: 'plate: è vuota, troppo lunga, o contiene un carattere che nessuna targa può avere.',
  },
  CHECKED_AT_IN_FUTURE: {
    en: 'The instant asked about is in the future.',
    it: "L'istante richiesto è nel futuro.",
  },
  CHECKED_AT_OUT_OF_RANGE: {
    en: 'The instant asked about is too far in the past, or after the year 9999.',
    it: "L'istante richiesto è più indietro di quanto si possa chiedere, oppure oltre l'anno 9999.",
  },
  KNOWN_AT_OUT_OF_RANGE: {
    en: 'known_at: the instant is in the future, before the service’s first record of this municipality, or further back than what is kept.',
    it: "known_at: l'istante è nel futuro, precede i primi dati registrati di questo comune, oppure è più indietro di quanto viene conservato.",
  },
  COLLECTED_AT_IN_FUTURE: {
    en: 'The instant of the collection or the reversal is in the future.',
    it: "L'istante della riscossione o dello storno è nel futuro.",
  },
  COLLECTED_AT_OUT_OF_RANGE: {
    en: 'The instant of the collection or the reversal is more than 400 days ago.',
    it: "L'istante della riscossione o dello storno risale a più di 400 giorni fa.",
  },
  AREA_CODE_REQUIRED: {
    en: 'area_code: an entry or exit needs the code of the facility, and a credential that is bound to areas always needs the code of one.',
    it: "area_code: un ingresso o un'uscita richiede il codice del parcheggio, e una credenziale limitata ad alcune aree ne richiede sempre uno.",
  },
  MUNICIPALITY_REQUIRED: {
    en: 'municipality_code: the credential has more than one municipality, so one must be given.',
    it: 'municipality_code: la credenziale ha più comuni, indicarne uno.',
  },
  FACILITY_REQUIRED: {
    en: 'area_code: an entry or exit needs an active facility of the municipality.',
    it: "area_code: un ingresso o un'uscita richiede un parcheggio attivo del comune.",
  },
  RATE_LIMIT_EXCEEDED: {
    en: 'The credential has made too many calls: wait as long as Retry-After says.',
    it: 'È stata superata la frequenza di chiamate consentita alla credenziale: attendere quanto indicato da Retry-After.',
  },
  TEMPORARY_ERROR: {
    en: 'The service failed temporarily. This says nothing about the vehicle. Please try again.',
    it: 'Un guasto temporaneo del servizio: non è una risposta sul veicolo. Riprovare.',
  },
  BUSY: {
    en: 'Two other imports are under way here. Nothing was stored: send the same again in a moment.',
    it: 'Altre due importazioni sono in corso qui. Nulla è stato salvato: inviare di nuovo tra poco.',
  },
  NOT_READY: {
    en: 'Part of the service is not working: do not send calls here.',
    it: 'Una parte del servizio non funziona: nessuna chiamata va inviata qui.',
  },
};
