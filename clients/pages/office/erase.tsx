import { useEffect, useState } from 'hono/jsx/dom';
import type { Answer } from '../../client/operation-types.ts';
import type { Failure, Result } from '../../client/result.ts';
import { Notice } from '../components/notice.tsx';
import { Facts } from '../components/table.tsx';
import { FailureNotice, Outcome, P, TypeAgain } from './said.tsx';
import { barePlate, gatherPlate, HELD_KINDS, type Held, runningOf, useCall, useSession } from './session.ts';
import { HELD, say } from './words.ts';

type Erased = Answer<'erasePlate'>['erased'];
const NOTHING: Erased = { sessions: 0, subscriptions: 0, payments: 0, history: 0, calls: 0 };

/** Erases a plate, call after call, once it was typed again. */
export function ErasePlate({ plate }: { readonly plate: string }) {
  const session = useSession();
  const held = useCall<Held>();
  const [erased, setErased] = useState<Erased | null>(null);
  const [end, setEnd] = useState<Failure | 'done' | null>(null);
  useEffect(() => void held.make(() => gatherPlate(session, plate)), []);
  const erase = async (): Promise<void> => {
    setEnd(null);
    let [sum, after]: [Erased, string | null] = [NOTHING, null];
    do {
      const result: Result<Answer<'erasePlate'>> = await session.client.erasePlate(
        { plate, after },
        session.call,
      );
      if (!result.ok) return setEnd(result);
      sum = plus(sum, result.answer.erased);
      setErased(sum);
      after = result.answer.next;
    } while (after !== null);
    setEnd('done');
  };
  return (
    <>
      <P
        en="From all municipalities of your tenant, for good. Sessions and payments stay for their counts and amounts, without the plate."
        it="Da tutti i comuni dell’ente, per sempre. Soste e pagamenti restano per i conteggi e gli importi, senza la targa."
      />
      <Outcome called={held.called}>{(found) => <StillRunning held={found} />}</Outcome>
      {end !== 'done' && (
        <TypeAgain
          {...{ text: plate, bare: barePlate, onTyped: erase }}
          label={say('Type the plate again', 'Scrivi di nuovo la targa')}
          submit={say('Erase for good', 'Cancella per sempre')}
        />
      )}
      {end === 'done' && (
        <Notice kind="done">
          {say('The plate has been erased from:', 'La targa è stata cancellata da:')}
        </Notice>
      )}
      {erased !== null && <Facts facts={HELD_KINDS.map((kind) => [HELD[kind], erased[kind]])} />}
      {end === 'done' && (
        <P
          en="What was being stored at this very moment goes if you erase again in two minutes."
          it="Ciò che era in arrivo proprio ora sparisce se cancelli di nuovo tra due minuti."
        />
      )}
      {end !== null && end !== 'done' && (
        <>
          <FailureNotice failure={end} />
          <P
            en="It is not finished. Erase again to complete it."
            it="Non è terminata. Cancella di nuovo per completarla."
          />
        </>
      )}
    </>
  );
}

/** A session that is paid for and erased no longer speaks for its driver. */
function StillRunning({ held }: { readonly held: Held }) {
  const running = runningOf(held);
  if (running.length === 0) return null;
  const ids = running.map(({ session_id, area_code }) => `${session_id} (${area_code})`).join(', ');
  return (
    <Notice kind="known">
      {say(
        `A session of this plate is still running or begins later: ${ids}. Once erased, it no longer shows that the driver has paid: the driver may be fined. Better wait until it has ended.`,
        `Una sosta di questa targa è ancora in corso o inizia più tardi: ${ids}. Una volta cancellata non dimostra più che è stato pagato: il conducente può essere multato. Meglio attendere che finisca.`,
      )}
    </Notice>
  );
}

const plus = (a: Erased, b: Erased): Erased => ({
  sessions: a.sessions + b.sessions,
  subscriptions: a.subscriptions + b.subscriptions,
  payments: a.payments + b.payments,
  history: a.history + b.history,
  calls: a.calls + b.calls,
});
