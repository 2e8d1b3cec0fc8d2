import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal } from '../../base/errors/refusal.ts';
import type { Text } from '../../base/text/text.ts';

/** Where evidence differs from a plate check: its fields have other names, and inactive areas are accepted. */
const TEXTS: Partial<Record<ErrorCode, Text>> = {
  CHECKED_AT_IN_FUTURE: { en: 'at: the instant is in the future.', it: "at: l'istante è nel futuro." },
  CHECKED_AT_OUT_OF_RANGE: {
    en: 'at: the instant is further back than what is kept, or after the year 9999.',
    it: "at: l'istante è più indietro di quanto viene conservato, oppure oltre l'anno 9999.",
  },
  AREA_NOT_FOUND: {
    en: 'area_code: nobody ever configured an area with this code in the municipality.',
    it: 'area_code: nel comune non è mai stata configurata un’area con questo codice.',
  },
  FACILITY_REQUIRED: {
    en: 'area_code: an entry or exit needs a facility, and nobody ever configured an area with this code in the municipality.',
    it: 'area_code: un ingresso o un’uscita richiede un parcheggio, e nel comune non è mai stata configurata un’area con questo codice.',
  },
};

/** The refusal of a search, in the words of its fields. */
export function refusalOf(code: ErrorCode): Refusal {
  const message = TEXTS[code];
  return new Refusal(code, message === undefined ? {} : { message });
}

/**
 * The refusal of a `known_at`, with the bound that it passed.
 *
 * @param bound in the municipality's time zone
 */
export function knownAtRefusal(passed: 'now' | 'known_since' | 'kept_since', bound: string): Refusal {
  const texts: Record<typeof passed, Text> = {
    now: {
      en: `known_at: the instant is in the future: it must not be later than now, ${bound}.`,
      it: `known_at: l’istante è nel futuro: non deve essere dopo adesso, ${bound}.`,
    },
    known_since: {
      en: `known_at: the instant is before the service’s first record of this municipality, ${bound}.`,
      it: `known_at: l’istante precede i primi dati registrati di questo comune, ${bound}.`,
    },
    kept_since: {
      en: `known_at: the instant is further back than what is kept, which begins at ${bound}.`,
      it: `known_at: l’istante è più indietro di quanto viene conservato, a partire dal ${bound}.`,
    },
  };
  return new Refusal('KNOWN_AT_OUT_OF_RANGE', { message: texts[passed] });
}
