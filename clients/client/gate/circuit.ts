/**
 * Whether the service is asked before a driver waits for it.
 *
 * - `closed`: it is asked. A number of failures in a row opens the circuit.
 * - `open`: it is not. A probe in the background finds out when it is back.
 * - `trial`: a probe was answered. The service is asked again; one failure opens the circuit at once.
 */
export type Circuit =
  | { readonly state: 'closed'; readonly failures: number }
  | { readonly state: 'open'; readonly probeAt: number }
  | { readonly state: 'trial' };

interface CircuitSettings {
  /** Failures one after the other that open it. */
  readonly failuresToOpen: number;
  /** Milliseconds between two probes. */
  readonly probeEveryMs: number;
}

export const CLOSED: Circuit = { state: 'closed', failures: 0 };

/** Whether a decision asks the service first. */
export function asksFirst(circuit: Circuit): boolean {
  return circuit.state !== 'open';
}

/** Whether a probe should be sent now. */
export function isProbeDue(circuit: Circuit, now: number): boolean {
  return circuit.state === 'open' && circuit.probeAt <= now;
}

/** The service has answered a question about a car, positively or not. */
export function afterAnswer(): Circuit {
  return CLOSED;
}

/** A question about a car has failed. */
export function afterFailure(circuit: Circuit, now: number, settings: CircuitSettings): Circuit {
  switch (circuit.state) {
    case 'closed': {
      const failures = circuit.failures + 1;
      return failures < settings.failuresToOpen ? { state: 'closed', failures } : openCircuit(now, settings);
    }
    case 'trial':
      return openCircuit(now, settings);
    case 'open':
      // A late failure of a question from before the circuit opened.
      return circuit;
  }
}

/** A probe goes out: the next one is due an interval later. */
export function probing(circuit: Circuit, now: number, settings: CircuitSettings): Circuit {
  return circuit.state === 'open' ? openCircuit(now, settings) : circuit;
}

/** A probe was answered. */
export function afterProbe(circuit: Circuit): Circuit {
  return circuit.state === 'open' ? { state: 'trial' } : circuit;
}

function openCircuit(now: number, { probeEveryMs }: CircuitSettings): Circuit {
  return { state: 'open', probeAt: now + probeEveryMs };
}
