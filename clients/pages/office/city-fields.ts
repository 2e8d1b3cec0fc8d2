import { say } from '../language.ts';
import type { City } from './session.ts';
import { START, type Times } from './times.ts';

/** The lists of a city, and the city's own settings. */
export type Kind = 'areas' | 'sources' | 'subscription_types' | 'plans' | 'settings';

/** An item as the configuration has it. */
export type Item = Readonly<Record<string, unknown>>;

export type As = 'text' | 'whole' | 'decimal' | 'euros' | 'flag' | 'list' | 'instant' | readonly string[];

/**
 * A property that a form changes: its path, such as `facility.entry_grace_minutes`, its label, how it is written, and whether
 * the table shows it too.
 */
export type ItemField = readonly [path: string, label: string, as: As, also?: 'shown'];

const NAME: ItemField = ['name', say('Name', 'Nome'), 'text', 'shown'];
const ACTIVE: ItemField = ['active', say('Switched on', 'Attivo'), 'flag', 'shown'];

/** The properties of each kind, in the order of its form. A new property of the configuration is one line here. */
export const FIELDS: Readonly<Record<Kind, readonly ItemField[]>> = {
  areas: [
    NAME,
    ['area_type', say('Kind', 'Genere'), ['street', 'facility'], 'shown'],
    ['capacity', say('Spaces', 'Posti'), 'whole', 'shown'],
    ACTIVE,
    [
      'facility.entry_grace_minutes',
      say('Entry tolerance (min)', 'Tolleranza entrata (min)'),
      'whole',
      'shown',
    ],
    ['facility.exit_grace_minutes', say('Exit tolerance (min)', 'Tolleranza uscita (min)'), 'whole', 'shown'],
    ['facility.offline_minutes', say('Gate without network (min)', 'Varco senza rete (min)'), 'whole'],
    ['facility.service_enabled', say('Gate service on', 'Servizio del varco attivo'), 'flag'],
    ['facility.plate_control_enabled', say('Gate reads plates', 'Il varco legge le targhe'), 'flag'],
    ['facility.subscription_access', say('Admits permits', 'Ammette abbonamenti'), 'flag'],
    ['closed_until', say('Closed until', 'Chiuso fino a'), 'instant'],
    ['address', say('Address', 'Indirizzo'), 'text'],
    ['price_note', say('Price, for the public', 'Prezzo, per il pubblico'), 'text'],
    ['website', say('Website', 'Sito'), 'text'],
    ['latitude', say('Latitude', 'Latitudine'), 'decimal'],
    ['longitude', say('Longitude', 'Longitudine'), 'decimal'],
    ['max_height_cm', say('Height in cm', 'Altezza in cm'), 'whole'],
    ['disabled_spaces', say('Disabled spaces', 'Posti disabili'), 'whole'],
    ['charging_spaces', say('Charging spaces', 'Posti ricarica'), 'whole'],
  ],
  sources: [
    NAME,
    ['category', say('Category', 'Categoria'), 'text', 'shown'],
    ACTIVE,
    ['is_system', say('The city’s own', 'Del comune'), 'flag', 'shown'],
    ['stale_after_minutes', say('Late after (min)', 'In ritardo dopo (min)'), 'whole', 'shown'],
    ['report_delay_minutes', say('Reports within (min)', 'Trasmette entro (min)'), 'whole', 'shown'],
    ['open_session_max_hours', say('Open session ends after (h)', 'Sosta aperta finisce dopo (h)'), 'whole'],
  ],
  subscription_types: [
    NAME,
    ['freely_sold', say('Sold freely', 'Vendita libera'), 'flag', 'shown'],
    ['renewal_allowed', say('Renewable', 'Rinnovabile'), 'flag', 'shown'],
    ['renewal_opens_days_before', say('Days before its end', 'Giorni prima della fine'), 'whole', 'shown'],
    ['sold_within_authorization', say('Within authorization', 'Entro l’autorizzazione'), 'flag'],
  ],
  plans: [
    ['descrizione', say('Text', 'Testo'), 'text', 'shown'],
    ['subscription_type', say('Type of permit', 'Tipo di abbonamento'), 'text', 'shown'],
    ['importo_eurocent', say('Price in €', 'Prezzo in €'), 'euros', 'shown'],
    ['duration', say('Duration', 'Durata'), 'text', 'shown'],
    ['operations', say('Sold for', 'In vendita per'), 'list'],
    ['on_parking_meter', say('Sold at meters', 'Al parcometro'), 'flag', 'shown'],
    ACTIVE,
  ],
  settings: [
    NAME,
    ['services.plate_check', say('Plate checks', 'Verifica targhe'), 'flag', 'shown'],
    ['services.subscriptions', say('Permits', 'Abbonamenti'), 'flag', 'shown'],
    ['services.subscription_options', say('Sale at meters', 'Vendita ai parcometri'), 'flag', 'shown'],
    ['services.report', say('Control room', 'Sala di controllo'), 'flag', 'shown'],
    ['services.public_occupancy', say('Public page', 'Pagina pubblica'), 'flag', 'shown'],
    ['observation_minutes', say('Observation (min)', 'Osservazione (min)'), 'whole', 'shown'],
    ['overstay_minutes', say('Overstay (min)', 'Oltre la fine (min)'), 'whole', 'shown'],
    ['public_max_age_minutes', say('Public figures hold (min)', 'Dati pubblici validi (min)'), 'whole'],
    ['data_protection_url', say('Data protection', 'Protezione dei dati'), 'text'],
    ['accessibility_url', say('Accessibility', 'Accessibilità'), 'text'],
    ['holidays', say('Holidays', 'Festivi'), 'list'],
  ],
};

/** What names an item of a kind. */
export const keyOf = (kind: Kind): 'code' | 'codice_tariffa' =>
  kind === 'plans' ? 'codice_tariffa' : 'code';

/** The items of a kind; of the settings the city itself. */
export const itemsOf = (city: City, kind: Kind): readonly Item[] =>
  kind === 'settings' ? [{ ...city }] : city[kind].map((item) => ({ ...item }));

/** The property at a path; undefined for one that this item does not have, as a street no tolerance. */
export function valueAt(item: Item | null, path: string): unknown {
  let value: unknown = item;
  for (const part of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Item)[part] : undefined;
  }
  return value;
}

/** What shows how a field is written, by its path. */
export const NOTES: Readonly<Record<string, string>> = {
  closed_until: say('Such as 2026-12-25 18:00; empty: open.', 'Come 2026-12-25 18:00; vuoto: aperto.'),
  holidays: say('Such as 2026-12-25, 2026-12-26.', 'Come 2026-12-25, 2026-12-26.'),
  duration: say('P1M: a month. P1Y: a year.', 'P1M: un mese. P1Y: un anno.'),
  operations: 'first_activation, renewal',
  renewal_opens_days_before: say('A renewal is sold from then on.', 'Da allora si vende il rinnovo.'),
};

/** A property as its field in the form has it. */
export function fieldText(as: As, value: unknown, times: Times): string {
  if (value === undefined || value === null || value === false) return '';
  if (value === true) return 'on';
  if (as === 'instant') return times.typed(String(value));
  if (as === 'list' && Array.isArray(value)) return value.join(', ');
  return as === 'euros' ? (Number(value) / 100).toFixed(2) : String(value);
}

/** A property's new value by what was typed. Null for nothing: the service says where it needs something. */
export function typedValue(as: As, typed: string, times: Times): unknown {
  if (as === 'flag') return typed !== '';
  if (as === 'list') return typed.split(/[\s,;]+/).filter((one) => one !== '');
  if (typed === '') return null;
  if (as === 'instant') return times.instantOf(typed, START);
  if (as === 'whole' || as === 'decimal') return Number(typed);
  return as === 'euros' ? Math.round(Number(typed) * 100) : typed;
}
