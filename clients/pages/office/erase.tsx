import { Facts } from '../components/table.tsx';
import { say } from '../language.ts';
import { TypeAgain } from './lists.tsx';
import { gatherPlate, HELD_KINDS, type Held, pagesOf, useSession } from './session.ts';
import { Loaded, Notice, P, type Tell } from './shown.tsx';
import { HELD } from './words.ts';

/** Erases a plate, call after call, once it was typed again. */
export function ErasePlate({ plate }: { readonly plate: string }) {
  const session = useSession();
  const erase = async (_: FormData, tell: Tell) => {
    const erased = { sessions: 0, subscriptions: 0, payments: 0, history: 0, calls: 0 };
    const counts = () => <Facts facts={HELD_KINDS.map((kind) => [HELD[kind], erased[kind]])} />;
    const read = (after: string | null) => session.ask('erasePlate', { plate, after });
    for await (const page of pagesOf(read, ({ next }) => next)) {
      for (const kind of HELD_KINDS) erased[kind] += page.erased[kind];
      tell(counts());
    }
    return (
      <>
        <Notice kind="done">
          {say('The plate has been erased from:', 'La targa è stata cancellata da:')}
        </Notice>
        {counts()}
        <P
          en="What was being stored at this very moment goes if you erase again in two minutes."
          it="Ciò che era in arrivo proprio ora sparisce se cancelli di nuovo tra due minuti."
        />
      </>
    );
  };
  const warn = async () => stillRunning(await gatherPlate(session, plate));
  return (
    <>
      <P
        en="From all municipalities of your tenant, for good. Sessions and payments stay for their counts and amounts, without the plate. If it stops, erase again to complete it."
        it="Da tutti i comuni dell’ente, per sempre. Soste e pagamenti restano per i conteggi e gli importi, senza la targa. Se si interrompe, cancella di nuovo per completarla."
      />
      <Loaded work={warn} />
      <TypeAgain
        {...{ text: plate, onTyped: erase }}
        label={say('Type the plate again', 'Scrivi di nuovo la targa')}
        submit={say('Erase for good', 'Cancella per sempre')}
      />
    </>
  );
}

/** A session that is paid for and erased no longer speaks for its driver. */
function stillRunning({ sessions }: Held) {
  const isOver = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now();
  const ids = sessions
    .filter((one) => !isOver(one.ends_at) && !isOver(one.cancelled_at))
    .map((one) => `${one.session_id} (${one.area_code})`)
    .join(', ');
  return (
    ids !== '' && (
      <Notice kind="known">
        {say(
          `A session of this plate is still running or begins later: ${ids}. Once erased, it no longer shows that the driver has paid: the driver may be fined. Better wait until it has ended.`,
          `Una sosta di questa targa è ancora in corso o inizia più tardi: ${ids}. Una volta cancellata non dimostra più che è stato pagato: il conducente può essere multato. Meglio attendere che finisca.`,
        )}
      </Notice>
    )
  );
}
