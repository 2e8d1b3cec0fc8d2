import type { Child } from 'hono/jsx';
import { Fragment, useEffect, useRef, useState } from 'hono/jsx/dom';
import { Button, textOf } from '../components/forms.tsx';
import { type Column, DataTable } from '../components/table.tsx';
import { say } from '../language.ts';
import { barePlate, useSession } from './session.ts';
import { Form, Loaded, Notice } from './shown.tsx';

interface DrawersProps {
  readonly drawers: readonly (readonly [label: string, content: Child])[];
  /** Open from the beginning. */
  readonly first?: string;
}

/** Buttons of which each opens what belongs to it, one at a time. */
export function Drawers({ drawers, first = '' }: DrawersProps) {
  const [open, setOpen] = useState(first);
  const content = drawers.find(([label]) => label === open)?.[1];
  return (
    <>
      <div class="controls">
        {drawers.map(([label]) => (
          <Button key={label} label={label} isOpen={label === open} onClick={() => setOpen(label)} />
        ))}
      </div>
      <Fragment key={open}>{content}</Fragment>
    </>
  );
}

/** Ends what was opened above a list with what is to be said or shown of it; the list is read again. */
export type Done = (said: Child) => void;

interface WorkListProps<Row> {
  readonly title: string;
  readonly rows: () => readonly Row[] | Promise<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  /** How a row is changed. */
  readonly change: readonly [label: string, open: (row: Row, done: Done) => Child];
  /** The rows that may be changed; absent: all. */
  readonly canChange?: (row: Row) => boolean;
  readonly add?: readonly [label: string, open: (done: Done) => Child];
}

/** A table whose rows can be changed, and added to, by who may. */
export function WorkList<Row>({ title, rows, columns, change, canChange, add }: WorkListProps<Row>) {
  const { mayChange } = useSession();
  const [[opened, content], setOpen] = useState<readonly [number, Child]>([0, null]);
  const [readings, setReadings] = useState(0);
  const put = (child: Child): void => setOpen(([before]) => [before + 1, child]);
  const done: Done = (child) => {
    put(typeof child === 'string' ? <Notice kind="done">{child}</Notice> : child);
    setReadings((before) => before + 1);
  };
  const [label, open] = change;
  const button = (row: Row): Child =>
    (canChange?.(row) ?? true) && <Button label={label} onClick={() => put(open(row, done))} />;
  const all = mayChange ? [...columns, [label, button] as const] : columns;
  const load = async () => <DataTable title={title} rows={await rows()} columns={all} />;
  const place = useRef<HTMLDivElement>(null);
  // It may be far above the row that opened it.
  useEffect(() => {
    if (content !== null) place.current?.focus();
  }, [opened]);
  return (
    <>
      {mayChange && add && <Button label={add[0]} onClick={() => put(add[1](done))} />}
      <div key={opened} ref={place} tabindex={-1}>
        {content}
      </div>
      <Loaded key={readings} work={load} />
    </>
  );
}

interface TypeAgainProps {
  readonly text: string;
  readonly label: string;
  readonly submit: string;
  readonly onTyped: Parameters<typeof Form>[0]['onSent'];
}

/** Asks for a plate or an id to be typed before it is gone for good. */
export function TypeAgain({ text, label, submit, onTyped }: TypeAgainProps) {
  const send: typeof onTyped = (form, tell) => {
    if (barePlate(textOf(form, 'again')) === barePlate(text)) return onTyped(form, tell);
    throw new Error(say(`What was typed is not ${text}.`, `Quanto scritto non è ${text}.`));
  };
  return <Form submit={submit} onSent={send} fields={[['again', label, 'text', { required: true }]]} />;
}

/** A property before and after a change, as a clerk reads it. */
export type Changed = readonly [property: string, before: string, after: string];

interface ReviewProps {
  readonly changes: readonly Changed[];
  /** What ends before a new period does. */
  readonly obstacles?: string;
  readonly save: () => Promise<Child>;
}

/** A change as it would be, before it is saved. */
export function Review({ changes, obstacles = '', save }: ReviewProps) {
  if (changes.length === 0)
    return <Notice kind="known">{say('Nothing would change.', 'Non cambierebbe nulla.')}</Notice>;
  return (
    <div class="card">
      <DataTable
        title={say('This will change', 'Cambierà')}
        rows={changes}
        columns={[
          [say('Property', 'Proprietà'), ([property]) => property],
          [say('Before', 'Prima'), ([, before]) => before],
          [say('After', 'Dopo'), ([, , after]) => <b>{after}</b>],
        ]}
      />
      {obstacles !== '' && (
        <Notice kind="known">
          {say('It will not hold in all of the new period:', 'Non varrà per tutto il nuovo periodo:')}{' '}
          {obstacles}.
        </Notice>
      )}
      <Form submit={say('Save', 'Salva')} onSent={save} />
    </div>
  );
}
