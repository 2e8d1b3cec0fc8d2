import type { Text } from '../../base/text/text.ts';
import type { AccessReasonCode } from '../../domain/facility-access.ts';

/** `access_reason`: why the gate opens, or does not. */
export const ACCESS_REASON_TEXT: Record<AccessReasonCode, Text> = {
  VALID_PREPAID_FACILITY_SESSION: {
    en: 'A parking session admits the vehicle to this facility.',
    it: 'Una sosta pagata ammette il veicolo a questo parcheggio.',
  },
  VALID_FACILITY_SUBSCRIPTION: {
    en: 'A subscription admits the vehicle to this facility.',
    it: 'Un abbonamento ammette il veicolo a questo parcheggio.',
  },
  VALID_SESSION_AND_SUBSCRIPTION: {
    en: 'A parking session and a subscription admit the vehicle to this facility.',
    it: 'Una sosta pagata e un abbonamento ammettono il veicolo a questo parcheggio.',
  },
  SESSION_NOT_STARTED: {
    en: 'The parking session has not started yet.',
    it: 'La sosta pagata non è ancora iniziata.',
  },
  SESSION_EXPIRED: { en: 'The parking session has expired.', it: 'La sosta pagata è scaduta.' },
  SUBSCRIPTION_NOT_ALLOWED: {
    en: 'This facility does not admit subscriptions.',
    it: 'Questo parcheggio non ammette abbonamenti.',
  },
  NO_VALID_FACILITY_ENTITLEMENT: {
    en: 'The vehicle has no valid session or subscription for this facility.',
    it: 'Il veicolo non ha una sosta o un abbonamento validi per questo parcheggio.',
  },
  PLATE_CONTROL_DISABLED: {
    en: 'Plate control is switched off in this facility.',
    it: 'Il controllo delle targhe è disattivato in questo parcheggio.',
  },
  FACILITY_SERVICE_DISABLED: {
    en: 'The service is switched off in this facility.',
    it: 'Il servizio è disattivato in questo parcheggio.',
  },
};

/** The warning of a check that a limited subscription leaves open. */
export const AREA_CODE_WARNING: Text = {
  en: 'A subscription of this plate is limited to areas: repeat the check with area_code to complete it.',
  it: 'Un abbonamento di questa targa è limitato ad alcune aree: ripetere la verifica con area_code per completarla.',
};
