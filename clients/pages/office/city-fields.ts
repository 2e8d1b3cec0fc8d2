import type { City } from './session.ts';
import { say } from './words.ts';

/** The lists of a city, and the city's own settings. */
export const KINDS = ['areas', 'sources', 'subscription_types', 'plans', 'settings'] as const;
export type Kind = (typeof KINDS)[number];

/** An item as the configuration has it. */
export type Item = Readonly<Record<string, unknown>>;

type As = 'text' | 'whole' | 'decimal' | 'euros' | 'flag' | readonly string[];

/** A property that a form changes: its path, such as `facility.entry_grace_minutes`, and how it is written. */
export interface Declared {
  readonly path: string;
  readonly label: string;
  readonly as: As;
  /** An empty field resets it. */
  readonly isNullable: boolean;
  /** In the table too. */
  readonly isShown: boolean;
}

const field = (
  path: string,
  label: string,
  as: As,
  ...also: readonly ('shown' | 'nullable')[]
): Declared => ({
  ...{ path, label, as },
  isNullable: also.includes('nullable'),
  isShown: also.includes('shown'),
});

const NAME = field('name', say('Name', 'Nome'), 'text', 'shown');
const ACTIVE = field('active', say('Switched on', 'Attivo'), 'flag', 'shown');

/** The properties of each kind, in the order of its form. A new property of the configuration is one line here. */
export const FIELDS: Readonly<Record<Kind, readonly Declared[]>> = {
  areas: [
    NAME,
    field('area_type', say('Kind', 'Genere'), ['street', 'facility'], 'shown'),
    field('capacity', say('Spaces', 'Posti'), 'whole', 'shown', 'nullable'),
    ACTIVE,
    field(
      'facility.entry_grace_minutes',
      say('Entry tolerance (min)', 'Tolleranza entrata (min)'),
      'whole',
      'shown',
    ),
    field(
      'facility.exit_grace_minutes',
      say('Exit tolerance (min)', 'Tolleranza uscita (min)'),
      'whole',
      'shown',
    ),
    field('facility.offline_minutes', say('Gate without network (min)', 'Varco senza rete (min)'), 'whole'),
    field('facility.service_enabled', say('Gate service on', 'Servizio del varco attivo'), 'flag'),
    field('facility.plate_control_enabled', say('Gate reads plates', 'Il varco legge le targhe'), 'flag'),
    field('facility.subscription_access', say('Admits permits', 'Ammette abbonamenti'), 'flag'),
    field('address', say('Address', 'Indirizzo'), 'text', 'nullable'),
    field('price_note', say('Price, for the public', 'Prezzo, per il pubblico'), 'text', 'nullable'),
    field('website', say('Website', 'Sito'), 'text', 'nullable'),
    field('latitude', say('Latitude', 'Latitudine'), 'decimal', 'nullable'),
    field('longitude', say('Longitude', 'Longitudine'), 'decimal', 'nullable'),
    field('max_height_cm', say('Height in cm', 'Altezza in cm'), 'whole', 'nullable'),
    field('disabled_spaces', say('Disabled spaces', 'Posti disabili'), 'whole', 'nullable'),
    field('charging_spaces', say('Charging spaces', 'Posti ricarica'), 'whole', 'nullable'),
  ],
  sources: [
    NAME,
    field('category', say('Category', 'Categoria'), 'text', 'shown'),
    ACTIVE,
    field('is_system', say('The city’s own', 'Del comune'), 'flag', 'shown'),
    field('stale_after_minutes', say('Late after (min)', 'In ritardo dopo (min)'), 'whole', 'shown'),
    field('report_delay_minutes', say('Reports within (min)', 'Trasmette entro (min)'), 'whole', 'shown'),
    field(
      'open_session_max_hours',
      say('Open session ends after (h)', 'Sosta aperta finisce dopo (h)'),
      'whole',
    ),
  ],
  subscription_types: [
    NAME,
    field('freely_sold', say('Sold freely', 'Vendita libera'), 'flag', 'shown'),
    field('renewal_allowed', say('Renewable', 'Rinnovabile'), 'flag', 'shown'),
    field(
      ...([
        'renewal_opens_days_before',
        say('Renewable from days before', 'Rinnovabile da giorni prima'),
      ] as const),
      ...(['whole', 'shown', 'nullable'] as const),
    ),
    field(
      'sold_within_authorization',
      say('Within the authorization only', 'Solo entro l’autorizzazione'),
      'flag',
    ),
  ],
  plans: [
    field('descrizione', say('Text', 'Testo'), 'text', 'shown'),
    field('subscription_type', say('Type of permit', 'Tipo di abbonamento'), 'text', 'shown'),
    field('importo_eurocent', say('Price in €', 'Prezzo in €'), 'euros', 'shown'),
    field('duration', say('Duration (such as P1M)', 'Durata (come P1M)'), 'text', 'shown'),
    field('on_parking_meter', say('Sold at meters', 'Al parcometro'), 'flag', 'shown'),
    ACTIVE,
  ],
  settings: [
    NAME,
    field('services.plate_check', say('Plate checks', 'Verifica targhe'), 'flag', 'shown'),
    field('services.subscriptions', say('Permits', 'Abbonamenti'), 'flag', 'shown'),
    field('services.subscription_options', say('Sale at meters', 'Vendita ai parcometri'), 'flag', 'shown'),
    field('services.report', say('Control room', 'Sala di controllo'), 'flag', 'shown'),
    field('services.public_occupancy', say('Public page', 'Pagina pubblica'), 'flag', 'shown'),
    field('observation_minutes', say('Observation (min)', 'Osservazione (min)'), 'whole', 'shown'),
    field('overstay_minutes', say('Overstay (min)', 'Oltre la fine (min)'), 'whole', 'shown'),
    field(
      'public_max_age_minutes',
      say('Public figures at most old (min)', 'Età dei dati pubblici (min)'),
      'whole',
    ),
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
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  }
  return value;
}

/** A property's new value by what was typed; undefined: nothing was, and it may not be empty. */
export function typedValue({ as, isNullable }: Declared, typed: string): unknown {
  if (as === 'flag') return typed !== '';
  if (typed === '') return isNullable ? null : undefined;
  if (as === 'whole' || as === 'decimal') return Number(typed);
  return as === 'euros' ? Math.round(Number(typed) * 100) : typed;
}

/** A property as its field in the form has it. */
export function fieldText({ as }: Pick<Declared, 'as'>, value: unknown): string {
  if (value === null || value === undefined) return '';
  return as === 'euros' && typeof value === 'number' ? (value / 100).toFixed(2) : String(value);
}

/** One property that differs: where, such as `areas S1 capacity`, and its values. */
export type Difference = readonly [path: string, from: unknown, to: unknown];

const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const codeOf = (item: unknown): string =>
  isItem(item) ? String(item.code ?? item.codice_tariffa ?? '') : '';

/** What differs between two states of a configuration, property by property, items of lists by their codes. */
export function differences(before: unknown, after: unknown, path: readonly string[] = []): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isItem(before) && isItem(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], [...path, name]));
  }
  const lists = [before, after].map((value): unknown[] => (Array.isArray(value) ? value : []));
  if (!lists.flat().some((item) => codeOf(item) !== '')) return [[path.join(' '), before, after]];
  const [old, now] = lists.map((list) => new Map(list.map((item) => [codeOf(item), item])));
  const codes = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  return codes.flatMap((code) => differences(old?.get(code), now?.get(code), [...path, code]));
}
