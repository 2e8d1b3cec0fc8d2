import type { AreaType, Status } from './answer.ts';

export type Language = 'en' | 'it';

export const isLanguage = (text: string): text is Language => text === 'en' || text === 'it';

export interface Texts {
  readonly title: (municipality: string) => string;
  readonly areas: string;
  readonly filter: string;
  readonly sort: string;
  readonly byName: string;
  readonly byFree: string;
  readonly found: (count: number, all: number) => string;
  readonly noneFound: (text: string) => string;
  readonly noAreas: string;
  readonly types: Readonly<Record<AreaType, string>>;
  readonly statuses: Readonly<Record<Status, string>>;
  /** Stands behind the number. */
  readonly free: (count: number, capacity: string) => string;
  /** For old figures, after the number. */
  readonly lastKnown: (time: string) => string;
  readonly notKnown: string;
  readonly closedUntil: (time: string) => string;
  readonly inMinutes: (minutes: number) => string;
  readonly updated: (age: string, time: string) => string;
  readonly momentAgo: string;
  readonly estimate: string;
  readonly loading: string;
  readonly failing: string;
  readonly failingWithData: string;
  readonly degraded: string;
  readonly outdated: string;
  readonly notPublic: string;
  readonly unnamed: string;
  readonly retry: string;
}

const ENGLISH: Texts = {
  title: (municipality) => `${municipality}: free parking spaces`,
  areas: 'Areas',
  filter: 'Find by name',
  sort: 'Sort by',
  byName: 'Name',
  byFree: 'Most free spaces',
  found: (count, all) => `${count} of ${all} areas`,
  noneFound: (text) => `No area has “${text}” in its name.`,
  noAreas: 'There are no areas to show.',
  types: { street: 'On street', facility: 'Car park' },
  statuses: {
    available: 'Available',
    almost_full: 'Almost full',
    full: 'Full',
    closed: 'Closed',
    unknown: 'Not known',
  },
  free: (_, capacity) => `free of ${capacity}`,
  lastKnown: (time) => `, last known at ${time}`,
  notKnown: 'Free spaces are not known',
  closedUntil: (time) => `Closed until ${time}`,
  inMinutes: (minutes) => `in ${minutes} min`,
  updated: (age, time) => `Updated ${age}, at ${time}.`,
  momentAgo: 'less than a minute ago',
  estimate: 'Estimated from payments; later figures are a forecast.',
  loading: 'Loading free spaces…',
  failing: 'Free spaces cannot be loaded right now. We keep trying.',
  failingWithData: 'New figures cannot be loaded right now. These are the last ones; we keep trying.',
  degraded: 'Some payments reach us late: figures may be off.',
  outdated: 'No payments have reached us for long: free spaces are not known.',
  notPublic: 'This municipality does not publish its free parking spaces.',
  unnamed: 'No municipality has been chosen.',
  retry: 'Try again',
};

const ITALIAN: Texts = {
  title: (municipality) => `${municipality}: posti liberi`,
  areas: 'Aree',
  filter: 'Cerca per nome',
  sort: 'Ordina per',
  byName: 'Nome',
  byFree: 'Più posti liberi',
  found: (count, all) => `${count} aree su ${all}`,
  noneFound: (text) => `Nessuna area contiene “${text}” nel nome.`,
  noAreas: 'Non ci sono aree da mostrare.',
  types: { street: 'Su strada', facility: 'Parcheggio' },
  statuses: {
    available: 'Disponibile',
    almost_full: 'Quasi pieno',
    full: 'Pieno',
    closed: 'Chiuso',
    unknown: 'Non noto',
  },
  free: (count, capacity) => `${count === 1 ? 'libero' : 'liberi'} su ${capacity}`,
  lastKnown: (time) => `, ultimo dato delle ${time}`,
  notKnown: 'Posti liberi non noti',
  closedUntil: (time) => `Chiuso fino a ${time}`,
  inMinutes: (minutes) => `tra ${minutes} min`,
  updated: (age, time) => `Aggiornato ${age}, alle ${time}.`,
  momentAgo: 'meno di un minuto fa',
  estimate: 'Stima dai pagamenti; i valori successivi sono una previsione.',
  loading: 'Caricamento dei posti liberi…',
  failing: 'Al momento i posti liberi non sono disponibili. Continuiamo a riprovare.',
  failingWithData:
    'Al momento non arrivano dati nuovi. Questi sono gli ultimi ricevuti; continuiamo a riprovare.',
  degraded: 'Alcuni pagamenti arrivano in ritardo: i valori possono essere imprecisi.',
  outdated: 'Da tempo non arrivano pagamenti: i posti liberi non sono noti.',
  notPublic: 'Questo comune non pubblica i posti liberi.',
  unnamed: 'Nessun comune è stato scelto.',
  retry: 'Riprova',
};

export const TEXTS: Readonly<Record<Language, Texts>> = { en: ENGLISH, it: ITALIAN };

/** English as it is written in Europe: 24 hours, the day before the month. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', it: 'it-IT' };
