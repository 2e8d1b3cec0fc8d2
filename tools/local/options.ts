import { resolve } from 'node:path';
import { readCommandLine } from '../command-line.ts';

export interface Options {
  readonly port: number;
  /** Absolute. Where D1, KV, the objects and the demonstration's tokens are kept. */
  readonly stateDir: string;
  readonly empty: boolean;
  /** Whether to print one line of JSON in place of everything. */
  readonly json: boolean;
}

const USAGE = `npm start -- [--port N] [--state DIR] [--empty] [--json]
  --port N      the port to listen on (8787)
  --state DIR   where the data is kept (.state)
  --empty       no demonstration data
  --json        print one line of JSON, once it answers: address and tokens`;

/**
 * Reads the arguments of `npm start --`.
 *
 * @throws Error with the usage, for an unknown option
 */
export function readOptions(args: readonly string[]): Options {
  const options = {
    port: { type: 'string', default: '8787' },
    state: { type: 'string', default: '.state' },
    empty: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  } as const;
  const { port, state, empty, json } = readCommandLine(USAGE, { options }, args).values;
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`No port: ${port}\n\n${USAGE}`);
  }
  return { port: Number(port), stateDir: resolve(state), empty, json };
}
