import { useEffect, useRef, useState } from 'hono/jsx/dom';
import type { KindName } from '../../tables/fields.ts';
import { textOf } from '../components/forms.tsx';
import { language, say } from '../language.ts';
import type { Jobs, Reply } from '../office-import.ts';
import { MappingForm, type OnMapped } from './import-mapping.tsx';
import { SendRows } from './import-send.tsx';
import { choicesOf, useSession } from './session.ts';
import { Form, P, Progress } from './shown.tsx';

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
