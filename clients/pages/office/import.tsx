import type { Child } from 'hono/jsx';
import { useEffect, useRef, useState } from 'hono/jsx/dom';
import { FIELDS, type KindName, type Field as TableField } from '../../tables/fields.ts';
import type { Mapping } from '../../tables/mapping.ts';
import { isRejectedTable, REJECTED_TITLES } from '../../tables/rejected-table.ts';
import { Button, type FieldSpec, textOf } from '../components/forms.tsx';
import { language, say } from '../language.ts';
import type { Jobs, Reply } from '../office-import.ts';
import { SendRows } from './import-send.tsx';
import { choicesOf, useSession } from './session.ts';
import { Form, P, Progress, type Tell } from './shown.tsx';
import { COLUMN, wordFor } from './words.ts';

/** A table becomes titles or sessions: dropped, its columns named, looked at, tried, sent. */
export function ImportSection() {
  const { city } = useSession();
  const [kind, setKind] = useState<KindName>('subscriptions');
  const { open, ask } = useReader();
  const openFile = async (form: FormData) => {
    const [file, source] = [form.get('file'), textOf(form, 'source')];
    if (!(file instanceof File)) return null;
    const table = { file, headerRow: Number(textOf(form, 'header')) || 1 };
    const header = await open(table);
    const readRows: OnMapped = async (mapping, tell) => {
      const rules = { importKind: kind, mapping, timezone: city.timezone };
      const read = await ask('read', { ...table, ...rules }, ({ rows, bytes }) =>
        tell(
          <Progress done={bytes} all={file.size} text={say(`${rows} rows read…`, `${rows} righe lette…`)} />,
        ),
      );
      return <SendRows {...{ kind, source, name: file.name, read, ask }} />;
    };
    return <MappingForm {...{ kind, header, onMapped: readRows }} />;
  };
  const kinds = [
    ['subscriptions', say('permits', 'abbonamenti')],
    ['sessions', say('parking sessions', 'soste')],
  ] as const;
  const onChosen = (value: string) => setKind(value === 'sessions' ? 'sessions' : 'subscriptions');
  const sources = city.sources.filter(({ active }) => active);
  const first = say(
    '.xlsx or .csv; a workbook’s first sheet is read.',
    '.xlsx o .csv; di una cartella si legge il primo foglio.',
  );
  const file = { accept: '.csv,.tsv,.txt,.xlsx', required: true, note: first };
  const skipped = say('Lines above it are skipped.', 'Le righe sopra si saltano.');
  return (
    <>
      <P
        en="Your own Excel sheet or CSV file. Nothing is sent before you have seen the rows."
        it="Il tuo foglio Excel o CSV. Nulla parte prima che tu abbia visto le righe."
      />
      <Form
        submit={say('Open', 'Apri')}
        fields={[
          ['kind', say('Rows are', 'Le righe sono'), kinds, { value: kind, onChosen }],
          kind === 'sessions' && ['source', say('Source', 'Sorgente'), choicesOf(sources)],
          ['file', say('Drop a file here, or choose one', 'Trascina qui un file, o sceglilo'), 'file', file],
          ['header', say('Line of the titles', 'Riga dei titoli'), 'whole', { value: '1', note: skipped }],
        ]}
        onSent={openFile}
      />
    </>
  );
}

/** Gives the reader of tables a job, and waits for what it finds. */
export type AskReader = <Name extends keyof Jobs>(
  job: Name,
  input: Parameters<Jobs[Name]>[0],
  onProgress?: (progress: { readonly rows: number; readonly bytes: number }) => void,
) => Promise<Awaited<ReturnType<Jobs[Name]>>>;

/** The reader of tables, in a worker of its own for each file that is opened: what it still says of another is not heard. */
function useReader() {
  const worker = useRef<Worker | null>(null);
  useEffect(() => () => worker.current?.terminate(), []);
  const ask: AskReader = (job, input, onProgress) =>
    new Promise((resolve, reject) => {
      const { current: reader } = worker;
      if (reader === null) return;
      reader.onmessage = ({ data }: MessageEvent<Reply>) => {
        if ('failed' in data) reject(new Error(data.failed));
        else if ('progress' in data) onProgress?.(data.progress);
        else resolve(data.found as Awaited<ReturnType<Jobs[typeof job]>>);
      };
      reader.onerror = ({ message }) => reject(new Error(message));
      reader.postMessage({ job, input });
    });
  const open = (table: Parameters<Jobs['open']>[0]) => {
    worker.current?.terminate();
    worker.current = new Worker('/pages/office-import.js', { type: 'module', name: language });
    return ask('open', table);
  };
  return { open, ask };
}

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
type OnMapped = (mapping: Mapping, tell: Tell) => Child | Promise<Child>;

interface MappingFormProps {
  readonly kind: KindName;
  readonly header: readonly string[];
  readonly onMapped: OnMapped;
}

/** Names the columns of a table. They are remembered by its titles. */
function MappingForm({ kind, header, onMapped }: MappingFormProps) {
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
