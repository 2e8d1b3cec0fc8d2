import type { Child } from 'hono/jsx';
import type { Answer, Input } from '../../client/operation-types.ts';
import { Button, type FieldSpec, textOf } from '../components/forms.tsx';
import type { Column } from '../components/table.tsx';
import { say } from '../language.ts';
import {
  type As,
  differences,
  FIELDS,
  fieldText,
  type Item,
  type ItemField,
  itemsOf,
  type Kind,
  keyOf,
  typedValue,
  valueAt,
} from './city-fields.ts';
import { type Changed, Changes, type Done, Drawers, Review, WorkList } from './lists.tsx';
import { CallFailed, type City, readCity, useSession } from './session.ts';
import { Form, NotDone } from './shown.tsx';
import { wordFor } from './words.ts';

type Document = Input<'putConfiguration'>;
type Change = Answer<'putConfiguration'>['changes'][number];

/** The city's areas, sources, types, plans and services in tables. */
export function CitySection() {
  const titles = [
    ['areas', say('Areas', 'Aree')],
    ['sources', say('Sources', 'Sorgenti')],
    ['subscription_types', say('Types of permit', 'Tipi di abbonamento')],
    ['plans', say('Plans', 'Tariffe')],
    ['settings', say('Services', 'Servizi')],
  ] as const;
  const drawers = titles.map(
    ([kind, title]) => [title, <Items key={kind} kind={kind} title={title} />] as const,
  );
  return <Drawers drawers={drawers} first={titles[0][1]} />;
}

function Items({ kind, title }: { readonly kind: Kind; readonly title: string }) {
  const { city } = useSession();
  const key = keyOf(kind);
  const shown = FIELDS[kind].filter(([, , , also]) => also?.includes('shown'));
  return (
    <WorkList
      {...{ title, rows: itemsOf(city, kind) }}
      columns={[
        [say('Code', 'Codice'), (item) => String(item[key])],
        ...shown.map(
          ([path, label, as]): Column<Item> => [label, (item) => shownValue(valueAt(item, path), as)],
        ),
      ]}
      change={[say('Edit', 'Modifica'), (item, done) => <Edit {...{ kind, item, done }} />]}
      {...(kind !== 'settings' && {
        add: [say('Add', 'Aggiungi'), (done) => <Edit {...{ kind, item: null, done }} />],
      })}
    />
  );
}

/** Values of the configuration that are words. */
const VALUE = { street: say('street', 'strada'), facility: say('car park', 'parcheggio') };

function shownValue(value: unknown, as: As = 'text'): string {
  if (typeof value === 'boolean') return value ? say('yes', 'sì') : 'no';
  const isPlain = typeof value !== 'object' || as === 'hours' || as === 'list';
  return isPlain || value === null ? wordFor(VALUE, fieldText(as, value)) || '–' : JSON.stringify(value);
}

interface EditProps {
  readonly kind: Kind;
  /** Null: a new one. */
  readonly item: Item | null;
  readonly done: Done;
}

/** The form of an item. Before anything is stored, it shows what the service says would change. */
function Edit({ kind, item, done }: EditProps) {
  const { ask, city } = useSession();
  const key = keyOf(kind);
  // A street has no tolerances.
  const fields = FIELDS[kind].filter(
    ([path]) => !path.startsWith('facility.') || item === null || item.area_type === 'facility',
  );
  const review = async (form: FormData) => {
    const code = item === null ? textOf(form, key) : String(item[key]);
    const document = documentOf(city, kind, { [key]: code, ...givenBy(form, item, fields) });
    const { changes } = await ask('putConfiguration', { ...document, dry_run: 'true' });
    return <ReviewItem {...{ document, changes: changes.flatMap((one) => changedBy(one, fields)), done }} />;
  };
  return (
    <div class="card">
      <h3>{item === null ? say('Add', 'Aggiungi') : String(item[key])}</h3>
      <Form
        submit={say('Review', 'Rivedi')}
        fields={[
          item === null && [key, say('Code', 'Codice'), 'text', { required: true, maxlength: 64 }],
          ...fields.map((field) => inputOf(field, valueAt(item, field[0]))),
        ]}
        onSent={review}
      />
      <Button label={say('Close', 'Chiudi')} onClick={() => done(null)} />
    </div>
  );
}

function inputOf([path, label, as]: ItemField, of: unknown): FieldSpec {
  const value = fieldText(as, of);
  if (typeof as === 'object') return [path, label, as.map((one) => [one, wordFor(VALUE, one)]), { value }];
  switch (as) {
    case 'hours':
      return [path, label, 'text', { value, note: HOURS }];
    case 'list':
      return [path, label, 'text', { value }];
    default:
      return [path, label, as === 'euros' ? 'decimal' : as, { value }];
  }
}

const HOURS = say(
  'Such as mon–sat 08:00–20:00; “never”; empty: always.',
  'Come lun–sab 08:00–20:00; «mai»; vuoto: sempre.',
);

/** What the form changes: a field that stays as it was is left out. */
function givenBy(form: FormData, item: Item | null, fields: readonly ItemField[]): Item {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const [path, , as] = field;
    const typed = textOf(form, path);
    // A list that a new item leaves empty is what the service says.
    const isSame =
      item === null ? as === 'list' && typed === '' : typed === fieldText(as, valueAt(item, path));
    const isOfOthers = path.startsWith('facility.') && textOf(form, 'area_type') !== 'facility';
    const value = isSame || isOfOthers ? undefined : typedValue(field, typed);
    if (value === undefined) continue;
    const [group = '', property] = path.split('.');
    given[group] = property === undefined ? value : { ...Object(given[group]), [property]: value };
  }
  return given;
}

/** The form's items are what the configuration takes: the service judges them, and names what is wrong. */
const documentOf = ({ code }: City, kind: Kind, given: Item): Document =>
  ({ municipalities: [kind === 'settings' ? { ...given, code } : { code, [kind]: [given] }] }) as Document;

/** A change as the service says it; of a new item all that it will have. */
function changedBy({ property, from, to }: Change, fields: readonly ItemField[]): Changed[] {
  const made = property === null && typeof to === 'object' && to !== null ? { ...to } : null;
  return fields
    .filter(([path]) => (made ? valueAt(made, path) !== undefined : path === property))
    .map(([path, label, as]) => [
      label,
      shownValue(from, as),
      shownValue(made ? valueAt(made, path) : to, as),
    ]);
}

interface ReviewItemProps {
  readonly document: Document;
  readonly changes: readonly Changed[];
  readonly done: Done;
}

/** Puts a document, unless somebody has changed the city since it was shown: then it says what they changed. */
function ReviewItem({ document, changes, done }: ReviewItemProps) {
  const { ask, city, version, setCity } = useSession();
  const put = async (): Promise<boolean> => {
    try {
      await ask('putConfiguration', { ...document, version });
      return true;
    } catch (error) {
      if (error instanceof CallFailed && error.failure.code === 'CONFIGURATION_CONFLICT') return false;
      throw error;
    }
  };
  const save = async (): Promise<Child> => {
    const isSaved = await put();
    const read = await readCity(ask, city.code);
    setCity(read);
    if (!isSaved) return <Overtaken before={city} after={read.city} />;
    const saved = say(
      'Saved. It holds for every call from now on.',
      'Salvato. Vale da ora per ogni chiamata.',
    );
    done(saved);
    return null;
  };
  return <Review changes={changes} save={save} />;
}

const Overtaken = ({ before, after }: { readonly before: City; readonly after: City }) => (
  <NotDone>
    {say(
      'Somebody has changed the city meanwhile. Look at it, then save again.',
      'Nel frattempo qualcuno ha modificato il comune. Guarda, poi salva di nuovo.',
    )}
    <Changes
      title={say('What they changed', 'Che cosa ha cambiato')}
      changes={differences(before, after).map(([path, from, to]) => [path, shownValue(from), shownValue(to)])}
    />
  </NotDone>
);
