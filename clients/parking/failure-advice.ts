import type { Text } from '../../src/base/text/text.ts';
import type { Failure } from '../client/index.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { interruptedStop, Stop } from './stop.ts';

/** What to do about a refusal. Other codes need no advice. */
const ADVICE: Readonly<Record<string, Text>> = {
  TOKEN_NOT_SET: {
    en: 'Run `parking login` to store the secret that this command needs, or set PARKING_TOKEN.',
    it: 'Eseguire `parking login` per salvare il segreto che serve a questo comando, oppure impostare PARKING_TOKEN.',
  },
  TOKEN_INVALID: {
    en: 'Run `parking login` with the correct secret, or correct PARKING_TOKEN.',
    it: 'Eseguire `parking login` con il segreto giusto, o correggere PARKING_TOKEN.',
  },
  TOKEN_EXPIRED: {
    en: 'Ask for a new credential, or for a later expiry (`parking credential change`).',
    it: 'Chiedere una nuova credenziale, o una scadenza successiva (`parking credential change`).',
  },
  TOKEN_REVOKED: {
    en: 'Ask for a new credential, then run `parking login`.',
    it: 'Chiedere una nuova credenziale, poi eseguire `parking login`.',
  },
  SCOPE_NOT_ALLOWED: {
    en: 'The credential lacks the scope: `parking credential change ID --scope …` adds it. Administration takes an office’s token.',
    it: 'Alla credenziale manca l’ambito: `parking credential change ID --scope …` lo aggiunge. L’amministrazione richiede il token di un ufficio.',
  },
  IP_NOT_ALLOWED: {
    en: 'The credential does not allow the address of this machine.',
    it: 'La credenziale non ammette l’indirizzo di questo computer.',
  },
  MUNICIPALITY_REQUIRED: {
    en: 'Choose one: --municipality CODE. `parking login` can keep one in the profile.',
    it: 'Indicare quale: --municipality CODICE. `parking login` può salvarne uno nel profilo.',
  },
  MUNICIPALITY_NOT_ALLOWED: {
    en: 'Choose another one: --municipality CODE. Without it, that of the profile is used, which `parking profiles` shows; `parking login` says what the credential may use.',
    it: 'Indicarne un altro: --municipality CODICE. Senza, vale quello del profilo, mostrato da `parking profiles`; `parking login` dice quali può usare la credenziale.',
  },
  RATE_LIMIT_EXCEEDED: {
    en: 'The credential’s budget is spent: wait, and run the command again.',
    it: 'Il limite di chiamate della credenziale è esaurito: attendere e ripetere il comando.',
  },
  NETWORK_ERROR: {
    en: 'Is the address correct, and the service running? `parking profiles` shows the address.',
    it: 'L’indirizzo è giusto, e il servizio è attivo? `parking profiles` mostra l’indirizzo.',
  },
  NOT_OUR_ANSWER: {
    en: 'Something between here and the service answered, or the address is another service’s.',
    it: 'Ha risposto qualcosa tra qui e il servizio, oppure l’indirizzo è di un altro servizio.',
  },
  REDIRECTED: {
    en: 'Log in with the address that it leads to: a secret is never sent after a redirect.',
    it: 'Eseguire il login con l’indirizzo finale: un segreto non viene mai inviato dopo un reindirizzamento.',
  },
  TEMPORARY_ERROR: {
    en: 'The service failed. Try again; if it keeps failing, give its operator the request id.',
    it: 'Il servizio ha avuto un errore. Riprovare; se persiste, comunicare al gestore l’id della richiesta.',
  },
};

const TEXTS = {
  TOKEN_NOT_SET: {
    en: 'This command needs a secret that the profile does not have.',
    it: 'Questo comando richiede un segreto che il profilo non ha.',
  },
  ADMINISTRATOR_TOKEN_NOT_SET: {
    en: 'This command needs the administrator’s token, which the profile does not have.',
    it: 'Questo comando richiede il token di amministratore, che il profilo non ha.',
  },
  TIMED_OUT: { en: 'The service did not answer in time.', it: 'Il servizio non ha risposto in tempo.' },
  NOT_OUR_ANSWER: {
    en: 'What answered is not the service.',
    it: 'Ciò che ha risposto non è il servizio.',
  },
  REDIRECTED: {
    en: 'The address leads to another one.',
    it: 'L’indirizzo rimanda a un altro.',
  },
} as const satisfies Record<string, Text>;

/**
 * The end of a command whose call got no answer.
 *
 * @param hasAccessToken then a missing token is the administrator's
 */
export function stopOf(failure: Failure, hasAccessToken = false): Stop {
  if (failure.code === 'ABORTED') return interruptedStop();
  const { message, requestId, issues, retryAfterSeconds } = failure;
  const code = failure.unknownCode ?? failure.code;
  const textCode = code === 'TOKEN_NOT_SET' && hasAccessToken ? 'ADMINISTRATOR_TOKEN_NOT_SET' : code;
  const ownText = Object.hasOwn(TEXTS, textCode) ? TEXTS[textCode as keyof typeof TEXTS] : undefined;
  const text = ownText ?? { en: message ?? code, it: message ?? code };
  const advice = adviceOf(code, retryAfterSeconds);
  return new Stop(exitOf(failure), text, {
    code,
    ...(advice !== undefined && { advice }),
    ...(requestId !== undefined && { requestId }),
    ...(issues !== undefined && { lines: issues.map(({ path, message: what }) => `${path}: ${what}`) }),
  });
}

/** The exit code of a call that got no answer. */
export function exitOf({ failure, code }: Failure): ExitCode {
  switch (failure) {
    case 'refused':
      return EXIT.refused;
    case 'misconfigured':
      return code === 'TOKEN_NOT_SET' ? EXIT.usage : EXIT.refused;
    case 'limited':
    case 'unavailable':
      return EXIT.unavailable;
  }
}

function adviceOf(code: string, retryAfterSeconds: number | undefined): Text | undefined {
  const advice = Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined;
  if (code !== 'RATE_LIMIT_EXCEEDED' || retryAfterSeconds === undefined) return advice;
  return {
    en: `The credential’s budget is spent: run the command again in ${retryAfterSeconds} s.`,
    it: `Il limite di chiamate della credenziale è esaurito: ripetere il comando tra ${retryAfterSeconds} s.`,
  };
}
