import { useRef, useState } from 'hono/jsx/dom';
import type { ImportOptions, ImportResult, RejectedLine } from '../../client/imports/import.ts';
import type { KindName } from '../../tables/fields.ts';
import { Button } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { DataTable, Facts } from '../components/table.tsx';
import type { Reader } from './import.tsx';
import type { Previewed, Read, Rejected } from './import-messages.ts';
import { FailureNotice, keepFile, NotDone, P } from './said.tsx';
import { useSession } from './session.ts';
import type { Times } from './times.ts';
import { COLUMN, COUNT, say, wordFor } from './words.ts';

/** Small parts show progress, and few enough lines that the service names each that it rejects. */
const LINES_OF_PART = 1_000;
/** Rejected rows that the page lists; the file has all of them. */
const LISTED = 100;

type State =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running'; readonly lines: number }
  | { readonly kind: 'ended'; readonly isDry: boolean; readonly result: ImportResult };

interface SendRowsProps {
  readonly kind: KindName;
  readonly source: string;
  readonly name: string;
  readonly read: Read;
  readonly reader: Reader;
}

/** The rows of a table before they are sent, what a dry run says of them, and what became of them. */
export function SendRows({ kind, source, name, read, reader }: SendRowsProps) {
  const { client, call, city, times } = useSession();
  const [state, setState] = useState<State>({ kind: 'ready' });
  const [rejected, setRejected] = useState<readonly Rejected[]>(read.rejected);
  const errors = useRef<RejectedLine[]>([]);
  const stop = useRef<AbortController | null>(null);

  const run = async (isDry: boolean): Promise<void> => {
    errors.current = [];
    stop.current = new AbortController();
    setState({ kind: 'running', lines: 0 });
    const options: ImportOptions = {
      ...{ ...call, maxPartLines: LINES_OF_PART, waitWhenLimited: true, signal: stop.current.signal },
      onProgress: (progress) => {
        errors.current?.push(...progress.errors);
        setState({ kind: 'running', lines: progress.totals.lines });
      },
    };
    const input = { municipality_code: city.code, ...(isDry && { dry_run: true }) };
    const result =
      kind === 'sessions'
        ? await client.importSessions({ bytes: read.body }, { ...input, source_code: source }, options)
        : await client.importSubscriptions({ bytes: read.body }, input, options);
    setState({ kind: 'ended', isDry, result });
    gather((_, all) => setRejected(all));
  };
  const gather = (heard: (file: string, rejected: readonly Rejected[]) => void): void =>
    reader.ask({ kind: 'refused', errors: errors.current ?? [] }, (said) => {
      if (said.kind === 'rejected') heard(said.file, said.rejected);
    });
  const keep = (): void =>
    gather((file) =>
      keepFile(`${name.replace(/\.\w+$/, '')}-${say('rejected', 'rifiutate')}.csv`, 'text/csv', file),
    );
  const isRunning = state.kind === 'running';
  const title = `${say('Rejected rows', 'Righe rifiutate')} (${rejected.length})`;
  return (
    <>
      {read.notes.map((note) => (
        <Notice key={note} kind="known">
          {note}
        </Notice>
      ))}
      <Preview preview={read.preview} times={times} />
      <p role="status">
        {say(
          `${read.rows} rows, of which ${read.rejected.length} cannot be read.`,
          `${read.rows} righe, di cui ${read.rejected.length} non leggibili.`,
        )}
      </p>
      <div class="controls">
        <Button
          label={say('Try without storing', 'Prova senza salvare')}
          isOff={isRunning}
          onClick={() => run(true)}
        />
        <Button
          isMain
          label={say(`Import ${read.lines} rows`, `Importa ${read.lines} righe`)}
          isOff={isRunning}
          onClick={() => run(false)}
        />
        {isRunning && <Button label={say('Stop', 'Ferma')} onClick={() => stop.current?.abort()} />}
      </div>
      {state.kind === 'running' && (
        <p role="status">
          <progress max={read.lines} value={state.lines} aria-label={say('Progress', 'Avanzamento')} />{' '}
          {say(`${state.lines} of ${read.lines}`, `${state.lines} di ${read.lines}`)}
        </p>
      )}
      {state.kind === 'ended' && <Ended {...state} />}
      {rejected.length > 0 && (
        <>
          <DataTable
            title={title}
            rows={rejected.slice(0, LISTED)}
            columns={[
              [say('Row', 'Riga'), ({ row }) => row],
              [say('Why not', 'Perché no'), ({ message }) => message],
            ]}
          />
          <P
            en="Correct them in the file, which has all of them, then import that file in the same way."
            it="Correggile nel file, che le ha tutte, poi importa quel file allo stesso modo."
          />
          <Button
            label={say('Keep the rejected rows as a file', 'Conserva le righe rifiutate in un file')}
            onClick={keep}
          />
        </>
      )}
    </>
  );
}

/** How a dry run or an import ended: its counts, and whether it reached the end. */
function Ended({ result, isDry }: { result: ImportResult; isDry: boolean }) {
  const totals = result.ok ? result.answer : result.soFar;
  const counts = ['received', 'created', 'updated', 'unchanged', 'rejected'] as const;
  return (
    <>
      {result.ok ? (
        <Notice kind="done">
          {isDry
            ? say('Tried: nothing was stored.', 'Provato: nulla è stato salvato.')
            : say('Imported.', 'Importato.')}
        </Notice>
      ) : result.code === 'ABORTED' ? (
        <NotDone>
          {say(
            'It was stopped. What was stored stays; import the same file again to complete it.',
            'È stato fermato. Ciò che è salvato resta; importa di nuovo lo stesso file per completare.',
          )}
        </NotDone>
      ) : (
        <FailureNotice failure={result} />
      )}
      <Facts facts={counts.map((count) => [COUNT[count], totals[count]])} />
      {totals.errorsLeftOut > 0 && (
        <Notice kind="known">
          {say(
            `${totals.errorsLeftOut} rejected rows are not named. Correct the others, then import the whole file again.`,
            `${totals.errorsLeftOut} righe rifiutate non sono elencate. Correggi le altre, poi importa di nuovo tutto il file.`,
          )}
        </Notice>
      )}
    </>
  );
}

/** The first rows as the service will get them. */
function Preview({ preview, times }: { preview: readonly Previewed[]; times: Times }) {
  const names = [...new Set(preview.flatMap(({ line }) => Object.keys(line)))];
  return (
    <DataTable
      title={say('The first rows', 'Le prime righe')}
      rows={preview}
      columns={[
        [say('Row', 'Riga'), ({ row }) => row],
        ...names.map(
          (name) => [wordFor(COLUMN, name), (row: Previewed) => cellText(row.line[name], times)] as const,
        ),
        [say('Why not', 'Perché no'), ({ message }) => message],
      ]}
    />
  );
}

/** A value of a line as a clerk reads it. */
function cellText(value: unknown, times: Times): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((item) => cellText(item, times)).join(', ');
  if (typeof value === 'object') {
    const item: Readonly<Record<string, unknown>> = { ...value };
    if ('plate' in item) return String(item.plate);
    return `${cellText(item.starts_at, times)} → ${cellText(item.ends_at, times)}`;
  }
  const text = String(value);
  return /^\d{4}-\d\d-\d\dT/.test(text) ? times.shown(text) : text;
}
