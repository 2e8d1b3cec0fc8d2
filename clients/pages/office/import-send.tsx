import { useState } from 'hono/jsx/dom';
import type { ImportOptions, ImportResult, RejectedLine } from '../../client/imports/import.ts';
import type { KindName } from '../../tables/fields.ts';
import { Button } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { DataTable, Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import type { Jobs, Previewed } from '../office-import.ts';
import type { AskReader } from './import.tsx';
import { useSession } from './session.ts';
import { FailureNotice, keepFile, NotDone, P, useShown } from './shown.tsx';
import type { Times } from './times.ts';
import { COLUMN, COUNT, wordFor } from './words.ts';

/** Small parts show progress, and few enough lines that the service names each that it rejects. */
const LINES_OF_PART = 1_000;
/** Rejected rows that the page lists; the file has all of them. */
const LISTED = 100;

interface SendRowsProps {
  readonly kind: KindName;
  readonly source: string;
  readonly name: string;
  readonly read: Awaited<ReturnType<Jobs['read']>>;
  readonly ask: AskReader;
}

/** The rows of a table before they are sent, what a dry run says of them, and what became of them. */
export function SendRows({ kind, source, name, read, ask }: SendRowsProps) {
  const { client, call, city, times } = useSession();
  const [{ rejected, file }, setRejected] = useState(read.rejected);
  const { said, isBusy, show } = useShown();
  const run = (isDry: boolean): Promise<void> =>
    show(async (tell) => {
      const errors: RejectedLine[] = [];
      const stop = new AbortController();
      const running = (lines: number) =>
        tell(<Running {...{ lines, all: read.lines, onStop: () => stop.abort() }} />);
      running(0);
      const options: ImportOptions = {
        ...{ ...call, maxPartLines: LINES_OF_PART, waitWhenLimited: true, signal: stop.signal },
        onProgress: (progress) => {
          errors.push(...progress.errors);
          running(progress.totals.lines);
        },
      };
      const input = { municipality_code: city.code, ...(isDry && { dry_run: true }) };
      const result =
        kind === 'sessions'
          ? await client.importSessions({ bytes: read.body }, { ...input, source_code: source }, options)
          : await client.importSubscriptions({ bytes: read.body }, input, options);
      setRejected(await ask('reject', errors));
      return <Ended {...{ result, isDry }} />;
    });
  const keep = (): void =>
    keepFile(`${name.replace(/\.\w+$/, '')}-${say('rejected', 'rifiutate')}.csv`, 'text/csv', file);
  const [tryOut, send] = [say('Try without storing', 'Prova senza salvare'), read.lines];
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
          `${read.rows} rows, of which ${read.rejected.rejected.length} cannot be read.`,
          `${read.rows} righe, di cui ${read.rejected.rejected.length} non leggibili.`,
        )}
      </p>
      <div class="controls">
        <Button label={tryOut} isOff={isBusy} onClick={() => run(true)} />
        <Button
          isMain
          label={say(`Import ${send} rows`, `Importa ${send} righe`)}
          {...{ isOff: isBusy, onClick: () => run(false) }}
        />
      </div>
      {said}
      {rejected.length > 0 && (
        <>
          <DataTable
            title={`${say('Rejected rows', 'Righe rifiutate')} (${rejected.length})`}
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

interface RunningProps {
  readonly lines: number;
  readonly all: number;
  readonly onStop: () => void;
}

const Running = ({ lines, all, onStop }: RunningProps) => (
  <div class="controls">
    <Button label={say('Stop', 'Ferma')} onClick={onStop} />
    <p role="status">
      <progress max={all} value={lines} aria-label={say('Progress', 'Avanzamento')} />{' '}
      {say(`${lines} of ${all}`, `${lines} di ${all}`)}
    </p>
  </div>
);

/** How a dry run or an import ended: its counts, and whether it reached the end. */
function Ended({ result, isDry }: { readonly result: ImportResult; readonly isDry: boolean }) {
  const totals = result.ok ? result.answer : result.soFar;
  const counts = ['received', 'created', 'updated', 'unchanged', 'rejected'] as const;
  const done = isDry
    ? say('Tried: nothing was stored.', 'Provato: nulla è stato salvato.')
    : say('Imported.', 'Importato.');
  return (
    <>
      {result.ok && <Notice kind="done">{done}</Notice>}
      {!result.ok && result.code === 'ABORTED' && (
        <NotDone>
          {say(
            'It was stopped. What was stored stays; import the same file again to complete it.',
            'È stato fermato. Ciò che è salvato resta; importa di nuovo lo stesso file per completare.',
          )}
        </NotDone>
      )}
      {!result.ok && result.code !== 'ABORTED' && <FailureNotice failure={result} />}
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
function Preview({ preview, times }: { readonly preview: readonly Previewed[]; readonly times: Times }) {
  const names = [...new Set(preview.flatMap(({ line }) => Object.keys(line)))];
  const columnOf = (name: string) =>
    [wordFor(COLUMN, name), (row: Previewed) => cellText(row.line[name], times)] as const;
  return (
    <DataTable
      title={say('The first rows', 'Le prime righe')}
      rows={preview}
      columns={[
        [say('Row', 'Riga'), ({ row }) => row],
        ...names.map(columnOf),
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
