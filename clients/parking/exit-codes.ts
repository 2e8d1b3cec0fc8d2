/** What the command's exit code means to a script. Documented in README.md. */
export const EXIT = {
  /** Done. A plate without any entitlement is an answer, too. */
  done: 0,
  /**
   * The service, or a rule of the command, refuses the request: the same again will be refused again. Or the
   * result could not be written after something was sent.
   */
  refused: 1,
  /** Wrong usage: an argument, a file that cannot be read, a missing profile. Nothing was sent. */
  usage: 2,
  /** The service cannot be reached, has failed, or the budget is spent: worth another try. */
  unavailable: 3,
  /** Stopped by Ctrl-C, as in a shell: 128 plus the number of the signal. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
