import { useState } from 'hono/jsx/dom';
import type { ImportOptions, ImportResult, RejectedLine } from '../../client/imports/import.ts';
import type { KindName } from '../../tables/fields.ts';
import { Button } from '../components/forms.tsx';
import { type Column, DataTable, Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import type { Jobs, Previewed, Rejected } from '../office-import.ts';
import type { AskReader } from './import.tsx';
import { useSession } from './session.ts';
import { FailureNotice, keepFile, Notice, P, Progress, useShown } from './shown.tsx';
import type { Times } from './times.ts';
import { COLUMN, COUNT, wordFor } from './words.ts';

/** Small parts show progress, and few enough lines that the service names each that it rejects. */
const LINES_OF_PART = 1_000;
/** Rejected rows that the page lists; the file has all of them. */
const LISTED = 100;

const ROW: Column<Rejected> = [say('Row', 'Riga'), ({ row }) => row];
const WHY: Column<Rejected> = [say('Why not', 'Perché no'), ({ message }) => message];

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
        tell(
          <div class="controls">
            <Button label={say('Stop', 'Ferma')} onClick={() => stop.abort()} />
            <Progress done={lines} all={read.lines} text={`${lines} / ${read.lines}`} />
          </div>,
        );
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
  const unreadable = read.rejected.rejected.length;
  return (
    <>
      {read.notes.map((note) => (
        <Notice key={note} kind="known">
          {note}
        </Notice>
      ))}
      <DataTable
        title={say('The first rows', 'Le prime righe')}
        rows={read.preview}
        columns={previewed(read.preview, times)}
      />
      <p role="status">
        {say(
          `${read.rows} rows, of which ${unreadable} cannot be read.`,
          `${read.rows} righe, di cui ${unreadable} non leggibili.`,
        )}
      </p>
      <div class="controls">
        <Button
          label={say('Try without storing', 'Prova senza salvare')}
          isOff={isBusy}
          onClick={() => run(true)}
        />
        <Button
          isMain
          label={say(`Import ${read.lines} rows`, `Importa ${read.lines} righe`)}
          isOff={isBusy}
          onClick={() => run(false)}
        />
      </div>
      {said}
      {rejected.length > 0 && (
        <>
          <DataTable
            title={`${say('Rejected rows', 'Righe rifiutate')} (${rejected.length})`}
            rows={rejected.slice(0, LISTED)}
            columns={[ROW, WHY]}
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
function Ended({ result, isDry }: { readonly result: ImportResult; readonly isDry: boolean }) {
  const totals = result.ok ? result.answer : result.soFar;
  const tried = say('Tried: nothing was stored.', 'Provato: nulla è stato salvato.');
  return (
    <>
      {result.ok ? (
        <Notice kind="done">{isDry ? tried : say('Imported.', 'Importato.')}</Notice>
      ) : (
        <FailureNotice failure={result} />
      )}
      <Facts
        facts={Object.entries(COUNT).map(([count, word]) => [word, totals[count as keyof typeof COUNT]])}
      />
    </>
  );
}

/** The first rows as the service will get them. */
function previewed(rows: readonly Previewed[], times: Times): Column<Previewed>[] {
  const names = [...new Set(rows.flatMap(({ line }) => Object.keys(line)))];
  const columnOf = (name: string): Column<Previewed> => [
    wordFor(COLUMN, name),
    ({ line }) => cellText(line[name], times),
  ];
  return [ROW, ...names.map(columnOf), WHY];
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
