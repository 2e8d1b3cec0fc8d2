import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { isNotPublic, isOccupancy, type Occupancy } from './answer.ts';
import { waitingMs } from './backoff.ts';

/** What the widget shows. Data stay when a later request fails. */
export type View =
  | { readonly kind: 'unnamed' | 'loading' | 'failing' | 'not_public' }
  | { readonly kind: 'data'; readonly occupancy: Occupancy; readonly isFailing: boolean };

type Found = { readonly occupancy: Occupancy } | 'not_public' | { readonly failure: string };

/** A request that takes longer has failed. */
const PATIENCE_MS = 10_000;

/**
 * Polls the service at its own interval, as long as the element is in a visible page. One request at a time:
 * a change of the address drops the one before, and its answer.
 */
export class Polling implements ReactiveController {
  view: View = { kind: 'unnamed' };
  readonly #host: ReactiveControllerHost;
  #address: string | null = null;
  #asking: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the next request is due, in milliseconds since the epoch. */
  #dueAt = 0;
  #failures = 0;
  #askedFor: unknown;

  readonly #onAnswer: (occupancy: Occupancy) => void;

  constructor(host: ReactiveControllerHost, onAnswer: (occupancy: Occupancy) => void) {
    this.#host = host;
    this.#onAnswer = onAnswer;
    host.addController(this);
  }

  /** Asks at this address from now on; data of another are dropped. Null: there is nothing to ask. */
  watch(address: string | null): void {
    if (address === this.#address) return;
    this.#stop();
    this.#address = address;
    this.#failures = 0;
    this.#askedFor = undefined;
    this.#dueAt = 0;
    this.view = { kind: address === null ? 'unnamed' : 'loading' };
    this.#proceed();
  }

  /** Asks at once. */
  askNow = (): void => {
    if (this.#asking !== null) return;
    this.#dueAt = 0;
    this.#proceed();
  };

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    window.addEventListener('online', this.askNow);
    this.#proceed();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    window.removeEventListener('online', this.askNow);
    this.#stop();
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#timer);
    this.#proceed();
    // The age has grown while the page was hidden.
    this.#host.requestUpdate();
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = null;
  }

  /** Asks if it is time, else waits until it is. In a hidden tab neither. */
  #proceed(): void {
    clearTimeout(this.#timer);
    const address = this.#address;
    if (address === null || document.hidden || this.#asking !== null || !isConnected(this.#host)) return;
    const leftMs = this.#dueAt - Date.now();
    if (leftMs > 0) {
      this.#timer = setTimeout(() => this.#proceed(), leftMs);
    } else {
      void this.#ask(address);
    }
  }

  async #ask(address: string): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const found = await ask(address, asking.signal);
    if (asking.signal.aborted) return;
    this.#asking = null;
    this.#take(found);
    this.#dueAt = Date.now() + waitingMs(this.#askedFor, this.#failures, Math.random());
    this.#host.requestUpdate();
    this.#proceed();
  }

  #take(found: Found): void {
    if (found === 'not_public') {
      // It may be switched on later. The data shown so far must disappear.
      this.#failures++;
      this.view = { kind: 'not_public' };
    } else if ('occupancy' in found) {
      const { occupancy } = found;
      this.#failures = 0;
      this.#askedFor = occupancy.refresh_after_seconds;
      this.view = { kind: 'data', occupancy, isFailing: false };
      this.#onAnswer(occupancy);
    } else {
      if (this.#failures++ === 0) console.warn(`<parking-occupancy>: ${found.failure}`);
      this.view = this.view.kind === 'data' ? { ...this.view, isFailing: true } : { kind: 'failing' };
    }
  }
}

const isConnected = (host: ReactiveControllerHost): boolean => host instanceof Element && host.isConnected;

async function ask(address: string, dropped: AbortSignal): Promise<Found> {
  try {
    const signal = AbortSignal.any([dropped, AbortSignal.timeout(PATIENCE_MS)]);
    const response = await fetch(address, { signal, credentials: 'omit' });
    const answer: unknown = await response.json();
    if (isNotPublic(answer)) return 'not_public';
    if (response.ok && isOccupancy(answer)) return { occupancy: answer };
    return { failure: `${address} answered ${response.status}, with no occupancy that can be read` };
  } catch (error) {
    return { failure: `${address} did not answer: ${error}` };
  }
}
