import type { AccessEvent } from '../../../src/domain/facility-access.ts';
import type { Failure } from '../result.ts';
import type { ClientSettings } from '../settings.ts';
import type { Circuit } from './circuit.ts';
import type { Action, Decision } from './decision.ts';
import type { GateEvent } from './events.ts';
import type { ListStore } from './store.ts';

/** What a gate is made with. */
export interface GateSettings extends Pick<ClientSettings, 'baseUrl' | 'language' | 'fetch'> {
  /** The access token of a credential with the scopes `plate_check` and `entitlement_list`. */
  readonly token: string;
  /** The facility. */
  readonly areaCode: string;
  /** Needed where the credential has several municipalities, inactive ones included. */
  readonly municipalityCode?: string;
  /** What to do when neither the service nor the list decides: the car park's own policy. There is no default. */
  readonly whenUnknown: Action;
  /** How long a driver waits for the service, in milliseconds. 1,000 by default. */
  readonly askWithinMs?: number;
  /** Where the list is stored between two runs. By default nowhere. */
  readonly store?: ListStore;
  /**
   * How long the store may take to load or to save the list, in milliseconds. 30,000 by default. A slower
   * store is abandoned and reported (`store_failed`), and refreshes continue.
   */
  readonly storeWithinMs?: number;
  /** Consecutive failures after which drivers no longer wait for the service. 3 by default. */
  readonly failuresToOpen?: number;
  /** How often it is then probed in the background, in milliseconds. 5,000 by default. */
  readonly probeEveryMs?: number;
  /**
   * Whether the gate refreshes its list and probes by itself, which keeps the process alive until `close()`. True by
   * default; false where there are no timers between two requests (a Worker): call `refresh()` there.
   */
  readonly inBackground?: boolean;
  /** Gets everything that happens except the decisions. */
  readonly onEvent?: (event: GateEvent) => void;
  /** Gets every failure to reach the service, not only the first, with the gate's task. */
  readonly onFailure?: (failure: Failure, during: 'check' | 'list' | 'probe') => void;
  /** The machine's clock in milliseconds since the epoch: for tests. */
  readonly wallClock?: () => number;
}

/** The state of a gate. */
export interface GateStatus {
  readonly circuit: Circuit['state'];
  readonly list: {
    readonly asOf: string;
    readonly validUntil: string;
    readonly entries: number;
  } | null;
  /** Why the list could not be refreshed the last time; null once it was. */
  readonly listFailure: Failure | null;
  /** Milliseconds that the machine's clock is ahead of the service's, by the present estimate. */
  readonly clockAheadMs: number;
}

export interface Gate {
  /** Decides about a car. It always resolves, and in time. */
  decide(plate: string, event: AccessEvent): Promise<Decision>;
  /** Refreshes the list now. @returns whether that succeeded */
  refresh(): Promise<boolean>;
  status(): GateStatus;
  /**
   * Resolves to true once the gate can decide (the service has answered, or a valid list is held). Resolves to false if it
   * cannot within `withinMs` (30,000 by default), at once if the service refuses the token, and if it is closed first:
   * `status().listFailure` says why. Without `inBackground` it refreshes the list for that.
   */
  ready(options?: { readonly withinMs?: number }): Promise<boolean>;
  /** Resolves once the gate has tried to load the list of an earlier run. */
  readonly loaded: Promise<void>;
  /** Stops all background work; resolves once the refresh under way has been aborted. */
  close(): Promise<void>;
}
