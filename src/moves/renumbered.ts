import type { Numbers, RestoreProgress } from '../db/schema/moves.ts';
import type { CopiedKind } from './copied-rows.ts';
import type { SentRow } from './sent-part.ts';

/** The values that are numbers of areas or sources, by the kind of row. */
const NUMBERED: Partial<Record<CopiedKind, Readonly<Record<string, 'areas' | 'sources'>>>> = {
  area: { id: 'areas' },
  source: { id: 'sources' },
  source_import: { source_id: 'sources' },
  source_delay: { source_id: 'sources' },
  parking_session: { area_id: 'areas' },
  journal: { area_id: 'areas', left_area_id: 'areas' },
};

/** Replaces the numbers of areas and sources that other municipalities have. */
export function renumber({ kind, values }: SentRow, numbers: RestoreProgress['numbers']): void {
  for (const [name, of] of Object.entries(NUMBERED[kind] ?? {})) {
    const old = values.get(name);
    values.set(name, numbers[of][String(old)] ?? old);
  }
  if (kind === 'subscription') {
    values.set('areas', renumberLists(values.get('areas'), numbers.areas));
  }
  if (kind === 'journal' && values.get('kind') === 'configuration') {
    values.set('record', renumberRecord(values.get('record'), numbers));
  }
}

/** A subscription's areas are a list of lists with one number each. */
const renumberLists = (lists: unknown, areas: Numbers): unknown =>
  Array.isArray(lists) ? lists.map(([id]: readonly number[]) => [areas[String(id)] ?? id]) : lists;

/** A recorded configuration names its areas and sources by code and number. */
function renumberRecord(json: unknown, numbers: RestoreProgress['numbers']): unknown {
  if (typeof json !== 'string') {
    return json;
  }
  const record = JSON.parse(json) as Record<string, unknown>;
  for (const name of ['areas', 'sources'] as const) {
    const list = record[name];
    if (Array.isArray(list)) {
      record[name] = list.map((item: { readonly id?: number }) => ({
        ...item,
        id: numbers[name][String(item.id)] ?? item.id,
      }));
    }
  }
  return JSON.stringify(record);
}
