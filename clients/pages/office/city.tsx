import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import type { Answer, Input } from '../../client/operation-types.ts';
import { Button, Choice, Field, Tick, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { type Column, DataTable } from '../components/table.tsx';
import {
  type Declared,
  type Difference,
  differences,
  FIELDS,
  fieldText,
  type Item,
  itemsOf,
  KINDS,
  type Kind,
  keyOf,
  typedValue,
  valueAt,
} from './city-fields.ts';
import { Ask, type Changed, Changes, FailureNotice, NotDone, Review } from './said.tsx';
import { type City, readCity, type Session, useSession } from './session.ts';
import { CITY_KIND, CITY_VALUE, say, wordFor } from './words.ts';

type Document = Input<'putConfiguration'>;
type Judged = Answer<'putConfiguration'>;

/** The city's areas, sources, types, plans and services in tables. */
export function CitySection() {
  const [kind, setKind] = useState<Kind>('areas');
  return (
    <>
      <div class="controls">
        {KINDS.map((one) => (
          <Button key={one} label={CITY_KIND[one]} isOpen={one === kind} onClick={() => setKind(one)} />
        ))}
      </div>
      <Items key={kind} kind={kind} />
    </>
  );
}

/** The code of an item that is new. */
const NEW = '';

function Items({ kind }: { readonly kind: Kind }) {
  const { city, mayChange } = useSession();
  const [edited, setEdited] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const key = keyOf(kind);
  const items = itemsOf(city, kind);
  const open = (code: string | null, saved = false): void => {
    setEdited(code);
    setSaved(saved);
  };
  const edit = say('Edit', 'Modifica');
  const columns: Column<Item>[] = [
    [say('Code', 'Codice'), (item) => String(item[key])],
    ...FIELDS[kind]
      .filter(({ isShown }) => isShown)
      .map((field): Column<Item> => [field.label, (item) => shownValue(valueAt(item, field.path), field)]),
  ];
  if (mayChange)
    columns.push([edit, (item) => <Button label={edit} onClick={() => open(String(item[key]))} />]);
  return (
    <>
      {isSaved && (
        <Notice kind="done">
          {say('Saved. It holds for every call from now on.', 'Salvato. Vale da ora per ogni chiamata.')}
        </Notice>
      )}
      {edited !== null && (
        <Edit
          key={edited}
          {...{ kind, item: items.find((item) => item[key] === edited) ?? null }}
          onEnded={(saved) => open(null, saved)}
        />
      )}
      <DataTable title={CITY_KIND[kind]} rows={items} columns={columns} />
      {mayChange && kind !== 'settings' && (
        <Button label={say('Add', 'Aggiungi')} onClick={() => open(NEW)} />
      )}
    </>
  );
}

function shownValue(value: unknown, field: Pick<Declared, 'as'> = { as: 'text' }): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? say('yes', 'sì') : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : wordFor(CITY_VALUE, fieldText(field, value));
}

interface EditProps {
  readonly kind: Kind;
  readonly item: Item | null;
  readonly onEnded: (isSaved: boolean) => void;
}

/** The form of an item. Before anything is stored, it shows what the service says would change. */
function Edit({ kind, item, onEnded }: EditProps) {
  const session = useSession();
  const [document, setDocument] = useState<Document>({});
  const key = keyOf(kind);
  // A street has no tolerances.
  const fields = FIELDS[kind].filter(
    ({ path }) => !path.startsWith('facility.') || item === null || item.area_type === 'facility',
  );
  const ask = (form: FormData) => {
    const code = item === null ? textOf(form, key) : String(item[key]);
    const named = documentOf(session.city, kind, { [key]: code, ...givenBy(form, fields) });
    setDocument(named);
    return session.client.putConfiguration({ ...named, dry_run: 'true' }, session.call);
  };
  const answer = ({ changes }: Judged) => (
    <Review
      changes={changes.flatMap((change) => changedBy(change, fields))}
      save={() => put(session, document, () => onEnded(true))}
    />
  );
  return (
    <div class="card">
      <h3>{item === null ? say('Add', 'Aggiungi') : String(item[key])}</h3>
      <Ask submit={say('Review', 'Rivedi')} ask={ask} answer={answer}>
        {item === null && <Field label={say('Code', 'Codice')} name={key} required maxlength={64} />}
        {fields.map((field) => (
          <ItemField key={field.path} field={field} value={valueAt(item, field.path)} />
        ))}
      </Ask>
      <Button label={say('Close', 'Chiudi')} onClick={() => onEnded(false)} />
    </div>
  );
}

function ItemField({ field, value }: { readonly field: Declared; readonly value: unknown }) {
  const { as, path, label } = field;
  if (as === 'flag') return <Tick label={label} name={path} checked={value === true} />;
  const text = { label, name: path, value: fieldText(field, value) };
  if (typeof as === 'object') {
    return <Choice {...text} options={as.map((one) => [one, wordFor(CITY_VALUE, one)])} />;
  }
  return as === 'text' ? (
    <Field {...text} />
  ) : (
    <Field {...text} type="number" step={as === 'whole' ? '1' : 'any'} />
  );
}

/** The item's properties as the form has them. What has an old value is no change. */
function givenBy(form: FormData, fields: readonly Declared[]): Item {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const value = typedValue(field, textOf(form, field.path));
    const isOfOthers = field.path.startsWith('facility.') && textOf(form, 'area_type') !== 'facility';
    if (value === undefined || isOfOthers) continue;
    const [group = '', property] = field.path.split('.');
    given[group] = property === undefined ? value : { ...Object(given[group]), [property]: value };
  }
  return given;
}

/** The form's items are what the configuration takes: the service judges them, and names what is wrong. */
const documentOf = ({ code }: City, kind: Kind, given: Item): Document =>
  ({ municipalities: [kind === 'settings' ? { ...given, code } : { code, [kind]: [given] }] }) as Document;

/** A change as the service says it; of a new item all that it will have. */
function changedBy(
  { property, from, to }: Judged['changes'][number],
  fields: readonly Declared[],
): Changed[] {
  const isNew = property === null && typeof to === 'object' && to !== null;
  return fields
    .filter(({ path }) => (isNew ? valueAt({ ...to }, path) !== undefined : path === property))
    .map((field) => [
      field.label,
      shownValue(from, field),
      shownValue(isNew ? valueAt({ ...to }, field.path) : to, field),
    ]);
}

/** Puts a document, unless somebody has changed the city since it was shown: then it says what they changed. */
async function put(
  { client, call, city, version, setCity }: Session,
  document: Document,
  onSaved: () => void,
): Promise<Child> {
  const result = await client.putConfiguration({ ...document, version }, call);
  const isOvertaken = !result.ok && result.code === 'CONFIGURATION_CONFLICT';
  if (!result.ok && !isOvertaken) return <FailureNotice failure={result} />;
  const read = await readCity(client, call, city.code);
  if (!read.ok) return <FailureNotice failure={read} />;
  setCity(read.answer);
  if (isOvertaken) return <Overtaken others={differences(city, read.answer.city)} />;
  onSaved();
  return null;
}

const Overtaken = ({ others }: { readonly others: readonly Difference[] }) => (
  <NotDone>
    {say(
      'Somebody has changed the city meanwhile. Look at it, then save again.',
      'Nel frattempo qualcuno ha modificato il comune. Guarda, poi salva di nuovo.',
    )}
    <Changes
      title={say('What they changed', 'Che cosa ha cambiato')}
      changes={others.map(([path, from, to]) => [path, shownValue(from), shownValue(to)])}
    />
  </NotDone>
);
