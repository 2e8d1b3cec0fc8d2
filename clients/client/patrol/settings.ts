import type { ListStore } from '../gate/store.ts';
import type { Failure } from '../result.ts';
import type { ClientSettings } from '../settings.ts';
import type { NextStep, PatrolItem } from './verdict.ts';

/** What a patrol is made with. */
export interface PatrolSettings
  extends Pick<ClientSettings, 'baseUrl' | 'language' | 'allowInsecureHttp' | 'fetch'> {
  /** The access token of a credential with the scope `patrol`. */
  readonly token: string;
  /** Needed where the credential has several active municipalities. */
  readonly municipalityCode?: string;
  /** The officer's pseudonym, such as a badge's number. */
  readonly officerReference?: string;
  /**
   * Called with each sighting that is settled. The sighting is forgotten once this has resolved; if the device is killed
   * before, this is called again with the same id.
   */
  readonly onSettled: (settled: Settled) => void | Promise<void>;
  /** Called for every failure, without a plate or a token. */
  readonly onFailure?: (failure: Failure | { readonly message: string }) => void;
  /**
   * Where sightings are stored between two runs, plates included: `fileStore` in Node. By default nowhere.
   */
  readonly store?: ListStore;
  /** How long a call may take, further tries included, in milliseconds. 10,000 by default. */
  readonly askWithinMs?: number;
  /** Whether it asks by itself, which keeps the process alive until `close()`. True by default; else call `ask()`. */
  readonly inBackground?: boolean;
  /** The machine's clock in milliseconds since the epoch: for tests. */
  readonly wallClock?: () => number;
}

/** A vehicle that was seen. */
export interface Seen {
  readonly plate: string;
  readonly areaCode: string;
  /** Other readings of a camera: the first 5 in which at most two characters of the plate differ are used. */
  readonly alternatives?: readonly string[];
  /** By the machine's clock; now by default. */
  readonly seenAt?: Date;
}

/** A sighting that needs no further question. */
export interface Settled {
  readonly id: string;
  readonly plate: string;
  readonly areaCode: string;
  readonly seenAt: Date;
  readonly step: Exclude<NextStep, 'look_again'>;
  /** The service's answer; null for a sighting that it refuses, or that was open for 24 hours. */
  readonly item: PatrolItem | null;
}

/** A patrol's device. */
export interface Patrol {
  /**
   * Keeps a sighting. Once it has resolved, the sighting is not lost.
   *
   * @returns its id
   * @throws errors of the store, and a RangeError for a `seenAt` before 1970 or after 9999, which is not
   * stored
   */
  see(seen: Seen): Promise<string>;
  /** Asks about all sightings that are due. @returns whether each of them got an answer */
  ask(): Promise<boolean>;
  /** How many are still open. */
  readonly waiting: number;
  /** Stops asking. Open sightings stay in the store. It waits for `onSettled`, which must not wait for it. */
  close(): Promise<void>;
}
