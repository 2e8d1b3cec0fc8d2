import type { KindName } from '../../storage/configuration/kinds.ts';
import { type Change, type ConfigurationChanged, MAX_CHANGES } from './contract.ts';
import { answeredArea, type WholeArea } from './present.ts';

/** An item, or a group of its properties. */
export type Item = Readonly<Record<string, unknown>>;

/** An item that the document names, as it is and as it becomes. */
export interface Merged {
  readonly kind: KindName;
  /** The code of its municipality, its own for a municipality; null for a tenant. */
  readonly municipality: string | null;
  /** In the document. */
  readonly path: string;
  /** Null: it is new. */
  readonly before: Item | null;
  readonly after: Item;
}

/** Whether two values of a schema are the same: it writes properties in one order. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export const isChanged = ({ before, after }: Pick<Merged, 'before' | 'after'>): boolean =>
  !isSame(before, after);

/** Counts each item of the document once, and lists what changes. */
export function changesOf(items: readonly Merged[]): ConfigurationChanged {
  const created = items.filter(({ before }) => before === null).length;
  const changed = items.filter(isChanged);
  const timeZones = new Map(
    items
      .filter(({ kind }) => kind === 'municipalities')
      .map(({ municipality, after }) => [municipality, String(after.timezone)]),
  );
  return {
    created,
    updated: changed.length - created,
    unchanged: items.length - changed.length,
    changes: changed
      .flatMap((item) => changesOfItem(item, timeZones.get(item.municipality) ?? 'UTC'))
      .slice(0, MAX_CHANGES),
  };
}

function changesOfItem({ path, before, after, kind }: Merged, timeZone: string): Change[] {
  // The area's schema made it.
  const shown = (item: Item): Item => (kind === 'areas' ? answeredArea(item as WholeArea, timeZone) : item);
  if (before === null) return [{ path, property: null, from: null, to: shown(after) }];
  return differences(shown(before), shown(after), '').map((difference) => ({ path, ...difference }));
}

/** The properties that differ, those of a group one by one. */
function differences(before: Item, after: Item, prefix: string): Omit<Change, 'path'>[] {
  return Object.entries(after).flatMap(([name, to]) => {
    const from = before[name] ?? null;
    if (isSame(from, to)) return [];
    return isGroup(to) && (from === null || isGroup(from))
      ? differences(from ?? {}, to, `${prefix}${name}.`)
      : [{ property: `${prefix}${name}`, from, to }];
  });
}

/** Whether a value is a group of properties: the only objects in an item, but for those of lists. */
export const isGroup = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
