import type { TestCredential } from '../support/credential.ts';
import type { Service } from '../support/service.ts';

/** How much slower than alone a busy machine may make a check. */
export const MAX_SLOWER = 4;

/** Who sends the lines, and through what. */
export interface Senders {
  readonly service: Service;
  readonly hostile: TestCredential;
  /** It is known, and refused: twice {@link REFUSED} of its calls leave a row. */
  readonly revoked: TestCredential;
}

export const REFUSED = 20;

/** Rows include index entries, as they are billed. */
export interface Kept {
  readonly kib: number;
  readonly read: number;
  readonly written: number;
}

/** What is sent and kept: a line of the attacker's table. */
export interface KeptLine {
  /** As the table of the page has it. */
  readonly input: string;
  /** What one of it costs at its bound: the most, and hardly less. */
  readonly kept: Kept;
  /** How many are sent at once. */
  readonly count: number;
  /** A check waits for what is sent at once where one slow thread does all: how many times slower it may be, if not {@link MAX_SLOWER}. */
  readonly mostSlower?: number;
  /** Sends them at their bound. @param round names what is new in it */
  readonly atBound: (senders: Senders, round: string) => Promise<void>;
  /** Sends what is past it, of which nothing may be kept. */
  readonly pastBound: (senders: Senders) => Promise<void>;
}
