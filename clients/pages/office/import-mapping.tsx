import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import { FIELDS, type KindName, type Field as TableField } from '../../tables/fields.ts';
import type { Mapping } from '../../tables/mapping.ts';
import { isRejectedTable, REJECTED_TITLES } from '../../tables/rejected-table.ts';
import { Button, type FieldSpec } from '../components/forms.tsx';
import { say } from '../language.ts';
import { useSession } from './session.ts';
import { Form, P, type Tell } from './shown.tsx';
import { COLUMN, wordFor } from './words.ts';

/** What offices write for an approval. */
const APPROVALS: Readonly<Record<string, string>> = {
  ...{ approvato: 'approved', approvata: 'approved', sì: 'approved', si: 'approved', yes: 'approved' },
  ...{ 'in attesa': 'pending', respinto: 'rejected', respinta: 'rejected', no: 'rejected' },
};

/** Values that are often the same in every row. */
const CONSTANTS: Readonly<Record<string, readonly string[]>> = {
  approval: ['approved', 'pending'],
  areas: ['all'],
};
/** Such a value is chosen with this before it. */
const ALWAYS = '=';

/** How a table's columns were named before, in this browser: by its kind and its titles, a file of rejected rows by theirs. */
type Chosen = Readonly<Record<string, string>>;
const placeOf = (kind: KindName, header: readonly string[]): string =>
  `office-columns ${kind} ${JSON.stringify(header.slice(isRejectedTable(header) ? REJECTED_TITLES.length : 0))}`;

/** Reads the rows by the columns' names, and shows what becomes of them. */
export type OnMapped = (mapping: Mapping, tell: Tell) => Child | Promise<Child>;

interface MappingFormProps {
  readonly kind: KindName;
  readonly header: readonly string[];
  readonly onMapped: OnMapped;
}

/** Names the columns of a table. They are remembered by its titles. */
export function MappingForm({ kind, header, onMapped }: MappingFormProps) {
  const { city } = useSession();
  const [isWhole, setWhole] = useState(false);
  const kept: Chosen = JSON.parse(localStorage.getItem(placeOf(kind, header)) ?? '{}');
  const titles = header.map((title) => title.trim()).filter((title) => title !== '');
  const columns = [['', '–'], ...titles.map((title) => [title, title] as const)] as const;
  const constantsOf = (name: string): [string, string][] => {
    const values =
      name === 'type' ? city.subscription_types.map(({ code }) => code) : (CONSTANTS[name] ?? []);
    return values.map((value) => [`${ALWAYS}${value}`, say(`always: ${value}`, `sempre: ${value}`)]);
  };
  const send = (form: FormData, tell: Tell) => {
    const chosen = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
    localStorage.setItem(placeOf(kind, header), JSON.stringify(chosen));
    return onMapped(mappingOf(kind, chosen), tell);
  };
  const chosenFor = (name: string): string => kept[name] ?? guessed(name, titles);
  const fieldsOf = ({ name, required, readPair }: TableField): FieldSpec[] => {
    const word = wordFor(COLUMN, name);
    const label = required ? `${word} *` : word;
    const column: FieldSpec = [name, label, [...columns, ...constantsOf(name)], { value: chosenFor(name) }];
    const time = `${name}+`;
    const clock: FieldSpec = [time, say(`${word}: time`, `${word}: ora`), columns, { value: kept[time] }];
    const isShown = isWhole || required || chosenFor(name) !== '';
    return [...(isShown ? [column] : []), ...(readPair && (isWhole || kept[time]) ? [clock] : [])];
  };
  return (
    <>
      <h3>{say('Which column is what', 'Che cosa c’è in ogni colonna')}</h3>
      <P
        en="This browser remembers it for files with the same titles. * is required. A date as an end counts with its day."
        it="Questo browser lo ricorda per i file con gli stessi titoli. * è obbligatorio. Una data come fine vale con il suo giorno."
      />
      {!isWhole && <Button label={say('More columns', 'Altre colonne')} onClick={() => setWhole(true)} />}
      <Form
        submit={say('Read the rows', 'Leggi le righe')}
        fields={FIELDS[kind].flatMap(fieldsOf)}
        onSent={send}
      />
    </>
  );
}

/** The column that has the property's own name, or the page's word for it. */
function guessed(name: string, titles: readonly string[]): string {
  const own = [name, wordFor(COLUMN, name)].map((word) => word.toLowerCase());
  return titles.find((title) => own.includes(title.toLowerCase())) ?? '';
}

function mappingOf(kind: KindName, chosen: Chosen): Mapping {
  const columns = new Map<string, string>();
  const constants = new Map<string, string>();
  for (const { name } of FIELDS[kind]) {
    const [title = '', time = ''] = [chosen[name], chosen[`${name}+`]];
    if (title.startsWith(ALWAYS)) constants.set(name, title.slice(ALWAYS.length));
    else if (title !== '') columns.set(name, time === '' ? title : `${title}+${time}`);
  }
  return {
    ...{ columns, constants },
    values: new Map(kind === 'subscriptions' ? [['approval', new Map(Object.entries(APPROVALS))]] : []),
  };
}
