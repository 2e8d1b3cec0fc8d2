import type { Failure } from '../result.ts';
import type { Circuit } from './circuit.ts';

/** What happens in a gate, for a log or a screen. It holds no token and no plate. */
export type GateEvent =
  /** The circuit has changed its state; `code` says why it opened. */
  | { readonly type: 'circuit'; readonly state: Circuit['state']; readonly code: string | null }
  | {
      readonly type: 'list_refreshed';
      readonly mode: 'full' | 'delta';
      readonly asOf: string;
      readonly validUntil: string;
      /** How many entries the list has now, and how many lines came. */
      readonly entries: number;
      readonly changes: number;
      /** How many of these lines the gate cannot read. It ignores them. */
      readonly unreadable: number;
      readonly tookMs: number;
    }
  /** A refresh failed, or a full list that was due. The old list stays until it expires. */
  | { readonly type: 'list_failed'; readonly failure: Failure }
  /**
   * The gate has no list, and gets none until its settings change: while the service is away, `whenUnknown`
   * decides for every car. `message` is for people.
   */
  | { readonly type: 'no_list'; readonly code: Failure['code']; readonly message: string }
  /** The list of an earlier run was loaded. */
  | { readonly type: 'list_loaded'; readonly asOf: string; readonly entries: number }
  /**
   * The stored list is not used: it cannot be read, or belongs to another token, facility or municipality.
   */
  | { readonly type: 'stored_list_ignored'; readonly reason: 'unreadable' | 'another_list' | 'another_key' }
  | { readonly type: 'store_failed'; readonly message: string }
  /**
   * The machine's clock differs from the service's by more than 30 s; `aheadMs` is how far it is ahead. The list is judged
   * by the service's time; the clock should be set.
   */
  | { readonly type: 'clock_differs'; readonly aheadMs: number }
  | { readonly type: 'clock_agrees' };

/** Calls a user's function, whose errors must not end the gate's work. */
export function tell<Args extends readonly unknown[]>(
  listener: ((...args: Args) => void) | undefined,
  ...args: Args
): void {
  try {
    listener?.(...args);
  } catch {
    // Theirs, not ours.
  }
}
