import type { Child } from 'hono/jsx';
import type { Answer, Input } from '../../client/operation-types.ts';
import { Button, Choice, Field, Tick, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import type { Column } from '../components/table.tsx';
import {
  differences,
  fieldsOf,
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
import { say, wordFor } from './words.ts';

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
  const shown = fieldsOf(kind).filter(({ isShown }) => isShown);
  return (
    <WorkList
      {...{ title, rows: itemsOf(city, kind) }}
      columns={[
        [say('Code', 'Codice'), (item) => String(item[key])],
        ...shown.map(
          (field): Column<Item> => [field.label, (item) => shownValue(valueAt(item, field.path), field)],
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

function shownValue(value: unknown, field: Pick<ItemField, 'as'> = { as: 'text' }): string {
  if (typeof value === 'boolean') return value ? say('yes', 'sì') : 'no';
  const isPlain = typeof value !== 'object' || field.as === 'hours' || field.as === 'dates';
  return isPlain || value === null ? wordFor(VALUE, fieldText(field, value)) || '–' : JSON.stringify(value);
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
  const fields = fieldsOf(kind).filter(
    ({ path }) => !path.startsWith('facility.') || item === null || item.area_type === 'facility',
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
      <Form submit={say('Review', 'Rivedi')} onSent={review}>
        {item === null && <Field label={say('Code', 'Codice')} name={key} required maxlength={64} />}
        {fields.map((field) => (
          <InputOf key={field.path} field={field} value={valueAt(item, field.path)} />
        ))}
      </Form>
      <Button label={say('Close', 'Chiudi')} onClick={() => done(null)} />
    </div>
  );
}

function InputOf({ field, value }: { readonly field: ItemField; readonly value: unknown }) {
  const { as, path, label } = field;
  const text = { label, name: path, value: fieldText(field, value) };
  if (as === 'flag') return <Tick label={label} name={path} checked={value === true} />;
  if (as === 'hours') {
    const [example, otherwise] = [say('mon–sat 08:00–20:00', 'lun–sab 08:00–20:00'), say('never', 'mai')];
    return (
      <Field
        {...text}
        note={say(
          `Such as ${example}; “${otherwise}”; empty: always.`,
          `Come ${example}; «${otherwise}»; vuoto: sempre.`,
        )}
      />
    );
  }
  if (typeof as === 'object') {
    return <Choice {...text} options={as.map((one) => [one, wordFor(VALUE, one)])} />;
  }
  const isNumber = as === 'whole' || as === 'decimal' || as === 'euros';
  return <Field {...text} {...(isNumber && { type: 'number', step: as === 'whole' ? '1' : 'any' })} />;
}

/** What the form changes: a field that stays as it was is left out. */
function givenBy(form: FormData, item: Item | null, fields: readonly ItemField[]): Item {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const typed = textOf(form, field.path);
    const isSame = item !== null && typed === fieldText(field, valueAt(item, field.path));
    const isOfOthers = field.path.startsWith('facility.') && textOf(form, 'area_type') !== 'facility';
    const value = isSame || isOfOthers ? undefined : typedValue(field, typed);
    if (value === undefined) continue;
    const [group = '', property] = field.path.split('.');
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
    .filter(({ path }) => (made ? valueAt(made, path) !== undefined : path === property))
    .map((field) => {
      const after = made ? valueAt(made, field.path) : to;
      return [field.label, shownValue(from, field), shownValue(after, field)];
    });
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
    done(<Notice kind="done">{saved}</Notice>);
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
