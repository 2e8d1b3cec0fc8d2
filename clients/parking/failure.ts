import type { Failure } from '../client/index.ts';
import type { TableError, TableFault } from '../tables/index.ts';
import { EXIT, type ExitCode, interruptedStop, Stop } from './stop.ts';

/** What to do about a refusal. Other codes need no advice. */
const ADVICE: Readonly<Record<string, string>> = {
  TOKEN_NOT_SET: 'Run `parking login` to store it, or set PARKING_TOKEN.',
  TOKEN_INVALID: 'Run `parking login` with the correct secret, or correct PARKING_TOKEN.',
  TOKEN_EXPIRED: 'Ask for a new credential, or for a later expiry (`parking credential change`).',
  TOKEN_REVOKED: 'Ask for a new credential, then run `parking login`.',
  SCOPE_NOT_ALLOWED:
    'The credential lacks the scope: `parking credential change ID --scope …` adds it. Administration takes an office’s token.',
  IP_NOT_ALLOWED: 'The credential does not allow the address of this machine.',
  MUNICIPALITY_REQUIRED: 'Choose one: --municipality CODE. `parking login` can keep one in the profile.',
  MUNICIPALITY_NOT_ALLOWED:
    'Choose another one: --municipality CODE. Without it, that of the profile is used, which `parking profiles` shows.',
  CONFIGURATION_CONFLICT:
    'It has changed since this file was printed, if only by putting this file before: print it again with `parking config get`, and repeat your change. Without its line `# version:` a file is put all the same.',
  RATE_LIMIT_EXCEEDED: 'The credential’s budget is spent: wait, and run the command again.',
  NETWORK_ERROR: 'Is the address correct, and the service running? `parking profiles` shows the address.',
  NOT_OUR_ANSWER: 'Something between here and the service answered, or the address is another service’s.',
  REDIRECTED: 'Log in with the address that it leads to: a secret is never sent after a redirect.',
  TEMPORARY_ERROR: 'The service failed. Try again; if it keeps failing, give its operator the request id.',
};

const MESSAGES: Readonly<Record<string, string>> = {
  TOKEN_NOT_SET:
    'The profile lacks the secret: the administrator’s token for status, backup and restore, else an access token.',
  INVALID_REQUEST: 'The service does not take this.',
  TIMED_OUT: 'The service did not answer in time.',
  NOT_OUR_ANSWER: 'What answered is not the service.',
  REDIRECTED: 'The address leads to another one.',
};

/** The end of a command whose call got no answer. */
export function stopOf(failure: Failure): Stop {
  if (failure.code === 'ABORTED') return interruptedStop();
  const { message, requestId, issues, retryAfterSeconds } = failure;
  const code = failure.unknownCode ?? failure.code;
  const advice =
    code === 'RATE_LIMIT_EXCEEDED' && retryAfterSeconds !== undefined
      ? `The credential’s budget is spent: run the command again in ${retryAfterSeconds} s.`
      : ADVICE[code];
  return new Stop(exitOf(failure), MESSAGES[code] ?? message ?? code, {
    code,
    ...(advice !== undefined && { advice }),
    ...(requestId !== undefined && { requestId }),
    ...(issues !== undefined && { lines: issues.map(({ path, message: what }) => `${path}: ${what}`) }),
  });
}

/** The exit code of a call that got no answer. */
export function exitOf({ failure, code }: Failure): ExitCode {
  if (failure === 'limited' || failure === 'unavailable') return EXIT.unavailable;
  return code === 'TOKEN_NOT_SET' ? EXIT.usage : EXIT.refused;
}

const TABLE_ADVICE: Partial<Readonly<Record<TableFault, string>>> = {
  encoding: 'Files that Excel saved as CSV are often in another encoding: try --encoding windows-1252.',
  no_column: 'If the titles are further down: --header-row says in which line.',
  unmapped:
    'Name the columns with --map PROPERTY=TITLE,…; a value that is the same in all rows with --set PROPERTY=VALUE',
};

/** The end of a command whose table cannot be read. */
export function tableStop({ fault, text }: TableError): Stop {
  const advice = TABLE_ADVICE[fault];
  return new Stop(fault === 'encoding' ? EXIT.refused : EXIT.usage, text.en, advice ? { advice } : {});
}
