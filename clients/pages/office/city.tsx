import type { Child } from 'hono/jsx';
import type { Answer, Input } from '../../client/operation-types.ts';
import { Button, type FieldSpec, textOf } from '../components/forms.tsx';
import type { Column } from '../components/table.tsx';
import { say } from '../language.ts';
import {
  type As,
  FIELDS,
  fieldText,
  type Item,
  type ItemField,
  itemsOf,
  type Kind,
  keyOf,
  NOTES,
  typedValue,
  valueAt,
} from './city-fields.ts';
import { type Changed, type Done, Drawers, Review, WorkList } from './lists.tsx';
import { CallFailed, type City, readCity, useSession } from './session.ts';
import { Form, NotDone, useShown } from './shown.tsx';
import type { Times } from './times.ts';
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

const CODE = say('Code', 'Codice');

function Items({ kind, title }: { readonly kind: Kind; readonly title: string }) {
  const { city, times } = useSession();
  const key = keyOf(kind);
  const shown = FIELDS[kind].filter(([, , , also]) => also === 'shown');
  return (
    <WorkList
      {...{ title, rows: () => itemsOf(city, kind) }}
      columns={[
        [CODE, (item) => String(item[key])],
        ...shown.map(
          ([path, label, as]): Column<Item> => [label, (item) => shownValue(valueAt(item, path), as, times)],
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

const shownValue = (value: unknown, as: As, times: Times): string =>
  typeof value === 'boolean'
    ? say(value ? 'yes' : 'no', value ? 'sì' : 'no')
    : wordFor(VALUE, fieldText(as, value, times)) || '–';

interface EditProps {
  readonly kind: Kind;
  /** Null: a new one. */
  readonly item: Item | null;
  readonly done: Done;
}

/** The form of an item. Before anything is stored, it shows what the service says would change. */
function Edit({ kind, item, done }: EditProps) {
  const { ask, city, version: read, setCity, times } = useSession();
  const shown = useShown();
  const key = keyOf(kind);
  // A street has no tolerances.
  const fields = FIELDS[kind].filter(
    ([path]) => !path.startsWith('facility.') || item === null || item.area_type === 'facility',
  );
  // What a new item has switched on is the service's to say.
  const typed = item === null ? fields.filter(([, , as]) => as !== 'flag') : fields;
  const put = async (document: Document, version: string): Promise<boolean> => {
    try {
      await ask('putConfiguration', { ...document, version });
      return true;
    } catch (error) {
      if (error instanceof CallFailed && error.failure.code === 'CONFIGURATION_CONFLICT') return false;
      throw error;
    }
  };
  /** Against a version of the city. If somebody has changed it since, it is reviewed again: nothing of theirs is lost. */
  const review = async (document: Document, version: string, notice: Child = null): Promise<Child> => {
    const { changes } = await ask('putConfiguration', { ...document, dry_run: 'true' });
    const save = async (): Promise<null> => {
      const isSaved = await put(document, version);
      const now = await readCity(ask, city.code);
      setCity(now);
      if (isSaved) done(SAVED);
      else void shown.show(() => review(document, now.version, <NotDone>{OVERTAKEN}</NotDone>));
      return null;
    };
    return (
      <>
        {notice}
        <Review changes={changes.flatMap((one) => changedBy(one, fields, times))} save={save} />
      </>
    );
  };
  const send = (form: FormData): Promise<Child> => {
    const code = item === null ? textOf(form, key) : String(item[key]);
    const given = { [key]: code, ...givenBy(form, item, typed, times) };
    return review(documentOf(city, kind, given), read);
  };
  return (
    <div class="card">
      <h3>{item === null ? say('Add', 'Aggiungi') : String(item[key])}</h3>
      <Form
        submit={say('Review', 'Rivedi')}
        fields={[
          item === null && [key, CODE, 'text', { required: true, maxlength: 64 }],
          ...typed.map((field) => inputOf(field, fieldText(field[2], valueAt(item, field[0]), times))),
        ]}
        {...{ onSent: send, shown }}
      />
      {shown.said}
      <Button label={say('Close', 'Chiudi')} onClick={() => done(null)} />
    </div>
  );
}

const SAVED = say('Saved. It holds for every call from now on.', 'Salvato. Vale da ora per ogni chiamata.');
const OVERTAKEN = say(
  'Somebody has changed the city meanwhile. Look at it again, then save.',
  'Nel frattempo qualcuno ha modificato il comune. Guarda di nuovo, poi salva.',
);

function inputOf([path, label, as]: ItemField, value: string): FieldSpec {
  const more = { value, note: NOTES[path] };
  if (typeof as === 'object') return [path, label, as.map((one) => [one, wordFor(VALUE, one)]), more];
  if (as === 'whole' || as === 'decimal' || as === 'flag') return [path, label, as, more];
  return [path, label, as === 'euros' ? 'decimal' : 'text', more];
}

/** What the form changes: a field that stays as it was is left out, and so is an empty one of a new item. */
function givenBy(form: FormData, item: Item | null, fields: readonly ItemField[], times: Times): Item {
  const given: Record<string, unknown> = {};
  for (const [path, , as] of fields) {
    const typed = textOf(form, path);
    if (typed === fieldText(as, valueAt(item, path), times)) continue;
    const value = typedValue(as, typed, times);
    const [group = '', property] = path.split('.');
    given[group] = property === undefined ? value : { ...Object(given[group]), [property]: value };
  }
  return given;
}

/** The form's items are what the configuration takes: the service judges them, and names what is wrong. */
const documentOf = ({ code }: City, kind: Kind, given: Item): Document =>
  ({ municipalities: [kind === 'settings' ? { ...given, code } : { code, [kind]: [given] }] }) as Document;

/** A change as the service says it; of a new item all that it will have. */
function changedBy({ property, from, to }: Change, fields: readonly ItemField[], times: Times): Changed[] {
  const made = property === null ? Object(to) : { [String(property)]: to };
  return fields
    .map(([path, label, as]) => [label, as, property === null ? valueAt(made, path) : made[path]] as const)
    .filter(([, , value]) => value !== undefined)
    .map(([label, as, value]) => [label, shownValue(from, as, times), shownValue(value, as, times)]);
}
