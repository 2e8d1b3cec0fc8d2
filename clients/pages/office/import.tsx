import { useEffect, useRef, useState } from 'hono/jsx/dom';
import type { KindName } from '../../tables/fields.ts';
import { Choice, Field, Form, textOf } from '../components/forms.tsx';
import { MappingForm } from './import-mapping.tsx';
import type { Read, Reply, Request } from './import-messages.ts';
import { SendRows } from './import-send.tsx';
import { Busy, NotDone, P } from './said.tsx';
import { choicesOf, useSession } from './session.ts';
import { language, say } from './words.ts';

/** A file that was dropped, what its rows are, and where its titles stand. */
interface Dropped {
  readonly file: File;
  readonly kind: KindName;
  readonly source: string;
  readonly headerRow: number;
}

type Stage =
  | { readonly kind: 'none' | 'opening' }
  | { readonly kind: 'opened'; readonly header: readonly string[] }
  | {
      readonly kind: 'reading';
      readonly header: readonly string[];
      readonly rows: number;
      readonly share: number;
    }
  | { readonly kind: 'read'; readonly header: readonly string[]; readonly read: Read }
  | { readonly kind: 'failed'; readonly message: string };

/** A table becomes titles or sessions: dropped, its columns named, looked at, tried, sent. */
export function ImportSection() {
  const { city } = useSession();
  const [dropped, setDropped] = useState<Dropped | null>(null);
  const [stage, setStage] = useState<Stage>({ kind: 'none' });
  const [kind, setKind] = useState<KindName>('subscriptions');
  const reader = useReader();

  const open = (form: FormData): void => {
    const [file, headerRow] = [form.get('file'), Number(textOf(form, 'header')) || 1];
    if (!(file instanceof File)) return;
    setDropped({ file, kind, source: textOf(form, 'source'), headerRow });
    setStage({ kind: 'opening' });
    reader.ask({ kind: 'open', file, headerRow, language }, (said) => {
      if (said.kind === 'opened' || said.kind === 'failed') setStage(said);
    });
  };
  const header = 'header' in stage ? stage.header : null;
  return (
    <>
      <P
        en="Your own Excel sheet or CSV file. Nothing is sent before you have seen the rows."
        it="Il tuo foglio Excel o CSV. Nulla parte prima che tu abbia visto le righe."
      />
      <Form submit={say('Open', 'Apri')} onSent={open}>
        <Choice
          label={say('Rows are', 'Le righe sono')}
          {...{ name: 'kind', value: kind }}
          options={[
            ['subscriptions', say('permits', 'abbonamenti')],
            ['sessions', say('parking sessions', 'soste')],
          ]}
          onChosen={(value) => setKind(value === 'sessions' ? 'sessions' : 'subscriptions')}
        />
        {kind === 'sessions' && (
          <Choice
            label={say('Source', 'Sorgente')}
            name="source"
            options={choicesOf(city.sources.filter(({ active }) => active))}
          />
        )}
        <FileField />
        <Field
          label={say('Line of the titles', 'Riga dei titoli')}
          {...{ name: 'header', type: 'number', value: '1' }}
          note={say('Lines above it are skipped.', 'Le righe sopra si saltano.')}
        />
      </Form>
      {stage.kind === 'opening' && <Busy />}
      {stage.kind === 'failed' && <NotDone>{stage.message}</NotDone>}
      {header !== null && dropped !== null && (
        <MappingForm
          key={`${dropped.kind} ${header.join('\n')}`}
          {...{ kind: dropped.kind, header }}
          onMapped={(mapping, endDates) => {
            setStage({ kind: 'reading', header, rows: 0, share: 0 });
            const { file, headerRow, kind: importKind } = dropped;
            const how = { file, headerRow, importKind, mapping, endDates, language, timezone: city.timezone };
            reader.ask({ kind: 'read', ...how }, (said) => {
              const { rows = 0, bytes = 0 } = said.kind === 'reading' ? said : {};
              if (said.kind === 'reading')
                setStage({ kind: 'reading', header, rows, share: bytes / file.size });
              if (said.kind === 'read') setStage({ kind: 'read', header, read: said });
              if (said.kind === 'failed') setStage(said);
            });
          }}
        />
      )}
      {stage.kind === 'reading' && (
        <p role="status">
          <progress max={1} value={stage.share} aria-label={say('Reading', 'Lettura')} />{' '}
          {say(`${stage.rows} rows read…`, `${stage.rows} righe lette…`)}
        </p>
      )}
      {stage.kind === 'read' && dropped !== null && (
        <SendRows
          key={`${dropped.file.name} ${stage.read.rows} ${stage.read.lines}`}
          {...{
            kind: dropped.kind,
            source: dropped.source,
            name: dropped.file.name,
            read: stage.read,
            reader,
          }}
        />
      )}
    </>
  );
}

/** A place for a file: dropped onto it, or chosen. */
function FileField() {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    const files = event.dataTransfer?.files;
    if (input.current === null || files === undefined || files.length === 0) return;
    input.current.files = files;
    setName(files[0]?.name ?? '');
  };
  return (
    <label class="drop" onDragOver={(event: DragEvent) => event.preventDefault()} onDrop={drop}>
      {name === '' ? say('Drop a file here, or choose one', 'Trascina qui un file, o sceglilo') : name}
      <input
        {...{ ref: input, type: 'file', name: 'file', accept: '.csv,.tsv,.txt,.xlsx', required: true }}
        onChange={() => setName(input.current?.files?.[0]?.name ?? '')}
      />
      <small class="note">
        {say(
          '.xlsx or .csv; a workbook’s first sheet is read.',
          '.xlsx o .csv; di una cartella si legge il primo foglio.',
        )}
      </small>
    </label>
  );
}

/** The reader of tables, in its own worker. */
export interface Reader {
  /** Asks it something. The newest question alone is heard. */
  readonly ask: (request: Request, heard: (reply: Reply) => void) => void;
}

/** Made when the first file is opened, and ended with the section. */
function useReader(): Reader {
  const worker = useRef<Worker | null>(null);
  useEffect(() => () => worker.current?.terminate(), []);
  const ask: Reader['ask'] = (request, heard) => {
    worker.current ??= new Worker('/pages/office-import.js', { type: 'module' });
    worker.current.onmessage = (event: MessageEvent<Reply>) => heard(event.data);
    worker.current.onerror = (event) => heard({ kind: 'failed', message: event.message });
    worker.current.postMessage(request);
  };
  return { ask };
}
