import type { Numbers, RestoreProgress } from '../db/schema/moves.ts';
import type { SentRow } from './sent-part.ts';

/** Replaces the numbers of areas and sources that other municipalities have. */
export function renumber(row: SentRow, { areas, sources }: RestoreProgress['numbers']): void {
  const { kind, values } = row;
  const replace = (name: string, numbers: Numbers): void => {
    const old = values.get(name);
    values.set(name, numbers[String(old)] ?? old);
  };
  switch (kind) {
    case 'area':
      replace('id', areas);
      break;
    case 'source':
      replace('id', sources);
      break;
    case 'source_import':
    case 'source_delay':
      replace('source_id', sources);
      break;
    case 'parking_session':
      replace('area_id', areas);
      break;
    case 'subscription':
      values.set('areas', renumberLists(values.get('areas'), areas));
      break;
    case 'journal':
      replace('area_id', areas);
      replace('left_area_id', areas);
      if (values.get('kind') === 'configuration') {
        values.set('record', renumberRecord(values.get('record'), { areas, sources }));
      }
      break;
    default:
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
