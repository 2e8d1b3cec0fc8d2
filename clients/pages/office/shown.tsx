import type { Child } from 'hono/jsx';
import { Fragment, useEffect, useRef, useState } from 'hono/jsx/dom';
import type { Failure } from '../../client/result.ts';
import { Field, type FieldSpec } from '../components/forms.tsx';
import { say } from '../language.ts';
import { CallFailed } from './session.ts';
import { FAILURE, wordFor } from './words.ts';

/** A paragraph in the page's language. */
export const P = ({ en, it }: { readonly en: string; readonly it: string }) => <p>{say(en, it)}</p>;

interface NoticeProps {
  /** Whether something was done, was not done, or should be known. */
  readonly kind: 'done' | 'failure' | 'known';
  readonly children: Child;
}

/** Something to be noticed. It is read out where it appears, at once if something was not done. */
export const Notice = ({ kind, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'failure' ? 'alert' : 'status'}>
    {children}
  </div>
);

/** Something that was not done, and why. */
export const NotDone = ({ children }: { readonly children: Child }) => (
  <Notice kind="failure">
    <b>{say('Not done.', 'Non eseguito.')}</b> {children}
  </Notice>
);

interface ProgressProps {
  readonly done: number;
  readonly all: number;
  readonly text: string;
}

/** How far long work is. */
export const Progress = ({ done, all, text }: ProgressProps) => (
  <p role="status">
    <progress max={all} value={done} aria-label={say('Progress', 'Avanzamento')} /> {text}
  </p>
);

/** Why there is no answer, in words: it never looks like one. The service's message is in the page's language. */
export function FailureNotice({ failure }: { readonly failure: Failure }) {
  const { code, unknownCode, message, issues = [], requestId, retryAfterSeconds: seconds } = failure;
  return (
    <NotDone>
      {code in FAILURE ? wordFor(FAILURE, code) : (message ?? unknownCode ?? code)}
      {failure.failure === 'limited' && say(` Try again in ${seconds} s.`, ` Riprova tra ${seconds} s.`)}
      {issues.length > 0 && (
        <ul>
          {issues.map(({ path, message: words }) => (
            <li key={path}>{path === '' ? words : `${path}: ${words}`}</li>
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

export type Tell = (child: Child) => void;
/** Something that takes its time, and what is shown once it is done. Until then it may tell how far it is. */
type Work = (tell: Tell) => Child | Promise<Child>;

/** What has become of work. */
export interface Shown {
  readonly said: Child;
  readonly isBusy: boolean;
  /** Begins work. What older work still has to say is dropped. */
  readonly show: (work: Work) => Promise<void>;
}

/** What the newest work has led to: that it is under way, what it shows, or why it failed. */
export function useShown(): Shown {
  const [{ said, isBusy }, set] = useState<Omit<Shown, 'show'>>({ said: null, isBusy: false });
  const turn = useRef(0);
  const show = async (work: Work): Promise<void> => {
    const own = (turn.current ?? 0) + 1;
    turn.current = own;
    const put = (child: Child, busy: boolean): void => {
      // The key: nothing of what older work has shown is kept.
      if (own === turn.current) set({ said: <Fragment key={own}>{child}</Fragment>, isBusy: busy });
    };
    put(<p role="status">{say('Please wait…', 'Un momento…')}</p>, true);
    try {
      put(await work((child) => put(child, true)), false);
    } catch (error) {
      const failed = error instanceof CallFailed && <FailureNotice failure={error.failure} />;
      put(failed || <NotDone>{error instanceof Error && error.message}</NotDone>, false);
    }
  };
  return { said, isBusy, show };
}

/** Shows what work leads to that begins by itself. */
export function Loaded({ work }: { readonly work: Work }) {
  const { said, show } = useShown();
  useEffect(() => void show(work), []);
  return <>{said}</>;
}

interface FormProps {
  readonly submit: string;
  readonly onSent: (form: FormData, tell: Tell) => Child | Promise<Child>;
  /** Without any it is a button. */
  readonly fields?: readonly (FieldSpec | false)[];
  /** Where it is shown what the form leads to, if not below it. */
  readonly shown?: Shown;
}

/** A form that the page handles itself: nothing of it gets into an address, and it is sent once at a time. */
export function Form({ submit, onSent, fields = [], shown }: FormProps) {
  const own = useShown();
  const { isBusy, show } = shown ?? own;
  const send = (event: Event): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    if (isBusy || !(form instanceof HTMLFormElement)) return;
    const sent = new FormData(form);
    void show((tell) => onSent(sent, tell));
  };
  return (
    <>
      <form class="form" onSubmit={send}>
        {fields.map((spec) => spec !== false && <Field key={spec[0]} spec={spec} />)}
        <button type="submit" class="main" aria-disabled={isBusy ? 'true' : undefined}>
          {submit}
        </button>
      </form>
      {shown === undefined && own.said}
    </>
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
