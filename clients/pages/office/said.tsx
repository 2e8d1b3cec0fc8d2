import type { Child } from 'hono/jsx';
import { useState } from 'hono/jsx/dom';
import type { Failure, Result } from '../../client/result.ts';
import { Button, Field, Form, textOf } from '../components/forms.tsx';
import { Notice } from '../components/notice.tsx';
import { DataTable } from '../components/table.tsx';
import { type Called, useCall } from './session.ts';
import { FAILURE, say, wordFor } from './words.ts';

/** A paragraph in the page's language. */
export const P = ({ en, it }: { readonly en: string; readonly it: string }) => <p>{say(en, it)}</p>;

/** Something that was not done, and why. */
export const NotDone = ({ children }: { readonly children: Child }) => (
  <Notice kind="failure">
    <b>{say('Not done.', 'Non eseguito.')}</b> {children}
  </Notice>
);

/** Why there is no answer, in words: it never looks like one. The service's message is in the page's language. */
export function FailureNotice({ failure }: { readonly failure: Failure }) {
  const { code, unknownCode, message, issues = [], requestId, retryAfterSeconds } = failure;
  const seconds = failure.failure === 'limited' ? retryAfterSeconds : undefined;
  return (
    <NotDone>
      {code in FAILURE ? wordFor(FAILURE, code) : (message ?? unknownCode ?? code)}
      {seconds !== undefined && say(` Try again in ${seconds} s.`, ` Riprova tra ${seconds} s.`)}
      {issues.length > 0 && (
        <ul>
          {issues.map((issue) => (
            <li key={issue.path}>{[issue.path, issue.message].filter((part) => part !== '').join(': ')}</li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p class="note">
          {say('For the operator of the service: request', 'Per il gestore del servizio: richiesta')}{' '}
          <code>{requestId}</code>
        </p>
      )}
    </NotDone>
  );
}

export const Busy = () => <p role="status">{say('Please wait…', 'Un momento…')}</p>;

interface OutcomeProps<A> {
  readonly called: Called<A>;
  readonly children?: ((answer: A) => Child) | undefined;
}

/** The state of a call: that it is under way, why it failed, or what it answered. */
export function Outcome<A>({ called, children }: OutcomeProps<A>) {
  switch (called.kind) {
    case 'none':
      return null;
    case 'busy':
      return <Busy />;
    case 'failed':
      return <FailureNotice failure={called.failure} />;
    case 'answered':
      return <>{children?.(called.answer)}</>;
  }
}

interface AskProps<A> {
  readonly submit: string;
  /** The call that the form becomes; a text says what is wrong with the form. */
  readonly ask: (form: FormData) => string | Promise<Result<A>>;
  /** The form's fields. */
  readonly children: Child;
  /** What is shown below the form once it is answered. */
  readonly answer?: (answer: A) => Child;
  readonly onAnswered?: (answer: A) => unknown;
}

/** A form that becomes a call, and what has become of it. */
export function Ask<A>({ submit, ask, children, answer, onAnswered }: AskProps<A>) {
  const { called, make } = useCall<A>();
  const [wrong, setWrong] = useState('');
  const send = async (form: FormData): Promise<void> => {
    const asked = ask(form);
    setWrong(typeof asked === 'string' ? asked : '');
    const answered = typeof asked === 'string' ? null : await make(() => asked);
    if (answered !== null) await onAnswered?.(answered);
  };
  return (
    <>
      <Form submit={submit} onSent={send}>
        {children}
      </Form>
      {wrong === '' ? <Outcome called={called}>{answer}</Outcome> : <NotDone>{wrong}</NotDone>}
    </>
  );
}

interface TypeAgainProps {
  /** What has to be typed, and how it is compared. */
  readonly text: string;
  readonly bare?: (text: string) => string;
  readonly label: string;
  readonly submit: string;
  readonly onTyped: () => unknown;
}

/** Asks for something to be typed before it is gone for good. */
export function TypeAgain({ text, bare = String, label, submit, onTyped }: TypeAgainProps) {
  const [isMistyped, setMistyped] = useState(false);
  const send = (form: FormData): unknown => {
    const isTyped = bare(textOf(form, 'again')) === bare(text);
    setMistyped(!isTyped);
    return isTyped ? onTyped() : undefined;
  };
  return (
    <>
      <Form submit={submit} onSent={send}>
        <Field label={label} name="again" required />
      </Form>
      {isMistyped && (
        <NotDone>{say(`What was typed is not ${text}.`, `Quanto scritto non è ${text}.`)}</NotDone>
      )}
    </>
  );
}

/** A property before and after a change, as a clerk reads it. */
export type Changed = readonly [property: string, before: string, after: string];

export const Changes = ({
  title,
  changes,
}: {
  readonly title: string;
  readonly changes: readonly Changed[];
}) => (
  <DataTable
    title={title}
    rows={changes}
    columns={[
      [say('Property', 'Proprietà'), ([property]) => property],
      [say('Before', 'Prima'), ([, before]) => before],
      [say('After', 'Dopo'), ([, , after]) => <b>{after}</b>],
    ]}
  />
);

interface ReviewProps {
  readonly changes: readonly Changed[];
  /** What the clerk should know before saving. */
  readonly warnings?: readonly string[];
  /** Saves it: null, or why it is not saved. */
  readonly save: () => Promise<Child>;
}

/** A change as it would be, before it is saved. */
export function Review({ changes, warnings = [], save }: ReviewProps) {
  const [refusal, setRefusal] = useState<Child>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    setRefusal(await save());
    setBusy(false);
  };
  if (changes.length === 0)
    return <Notice kind="known">{say('Nothing would change.', 'Non cambierebbe nulla.')}</Notice>;
  return (
    <div class="card">
      <Changes title={say('This will change', 'Cambierà')} changes={changes} />
      {warnings.map((warning) => (
        <Notice key={warning} kind="known">
          {warning}
        </Notice>
      ))}
      {refusal}
      <Button isMain isOff={isBusy} label={say('Save', 'Salva')} onClick={send} />
    </div>
  );
}

/** Gives the browser a file to keep. */
export function keepFile(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export const wrongTime = (): string =>
  say('This is not a date and a time of the calendar.', 'Non è una data e un’ora del calendario.');
