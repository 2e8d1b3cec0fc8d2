import type { Language, Text } from '../../../src/base/text/text.ts';
import { groupDigits } from '../terminal/numbers.ts';
import type { Paint, Style } from '../terminal/terminal.ts';
import type { Difference, ItemChange, ItemKind, PropertyChange } from './diff.ts';
import { sumWords } from './sum-words.ts';

export type { Paint };

const KINDS: Record<ItemKind, Text> = {
  tenant: { en: 'tenant', it: 'ente' },
  municipality: { en: 'municipality', it: 'comune' },
  area: { en: 'area', it: 'area' },
  source: { en: 'source', it: 'sorgente' },
  subscription_type: { en: 'subscription type', it: 'tipo di abbonamento' },
  plan: { en: 'plan', it: 'tariffa' },
};

const MARKS = { created: '+', updated: '~', unknown: '?' } as const;
const STYLES = { created: 'green', updated: 'yellow', unknown: 'cyan' } as const satisfies Record<
  string,
  Style
>;

const NEW: Text = { en: 'new', it: 'nuovo' };
const PERHAPS: Text = {
  en: 'new, or already there: the service shows a tenant only together with its municipalities',
  it: 'nuovo, o già presente: il servizio mostra un ente solo con i suoi comuni',
};
const DEFAULT: Text = { en: 'by default', it: 'predefinito' };
const KEPT: Text = {
  en: 'by default, or what it had when it was a facility before',
  it: 'predefinito, o ciò che aveva quando era già un parcheggio',
};
const TO_BE_SEEN: Text = { en: 'new or already there', it: 'nuovi o già presenti' };
const NOT_SHOWN: Text = { en: 'no longer shown', it: 'non più mostrato' };

/** A document's changes, item by item, then the sums. */
export function differenceLines(
  { items, unchanged }: Difference,
  language: Language,
  paint: Paint,
): string[] {
  return [...items.flatMap((item) => itemLines(item, language, paint)), sumLine(items, unchanged, language)];
}

/** A summary of a long difference: how many changes of each kind, by municipality, then the sums. */
export function summaryLines({ items, unchanged }: Difference, language: Language, paint: Paint): string[] {
  const groups = new Map<string, { readonly first: ItemChange; count: number }>();
  for (const item of items) {
    const key = JSON.stringify([item.municipality, item.kind, item.change]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: item, count: 1 });
    else group.count += 1;
  }
  const lines = [...groups.values()].map(({ first: { municipality, kind, change }, count }) => {
    const place = municipality === null ? '' : `${municipality} `;
    return paint(
      STYLES[change],
      `${MARKS[change]} ${place}${KINDS[kind][language]}: ${groupDigits(count, language)}`,
    );
  });
  return [...lines, sumLine(items, unchanged, language)];
}

function itemLines(item: ItemChange, language: Language, paint: Paint): string[] {
  const { kind, code, municipality, change, properties } = item;
  const place = municipality === null ? '' : `${municipality} `;
  const remark =
    change === 'created' ? `  (${NEW[language]})` : change === 'unknown' ? `  (${PERHAPS[language]})` : '';
  const head = `${MARKS[change]} ${place}${KINDS[kind][language]} ${code}${remark}`;
  return [
    paint(STYLES[change], head),
    ...properties.map((property) => `    ${propertyLine(item, property, language, paint)}`),
  ];
}

function propertyLine(
  { change }: ItemChange,
  { property, old, new: value, byDefault }: PropertyChange,
  language: Language,
  paint: Paint,
): string {
  if (change !== 'updated') {
    return `${property}: ${shown(value)}${byDefault ? paint('dim', `  (${DEFAULT[language]})`) : ''}`;
  }
  if (value === undefined) return `${property}: ${shown(old)} → ${NOT_SHOWN[language]}`;
  const remark = byDefault
    ? paint('dim', `  (${(property.startsWith('facility.') ? KEPT : DEFAULT)[language]})`)
    : '';
  const before = old === undefined ? '–' : paint('red', shown(old));
  return `${property}: ${before} → ${paint('green', shown(value))}${remark}`;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? '–';

function sumLine(items: readonly ItemChange[], unchanged: number, language: Language): string {
  const count = (change: ItemChange['change']): number =>
    items.filter((item) => item.change === change).length;
  const unknown = count('unknown');
  const sums = sumWords({ created: count('created'), updated: count('updated'), unchanged }, language);
  return unknown === 0 ? sums : `${sums}, ${unknown} ${TO_BE_SEEN[language]}`;
}
