import { resolve } from 'node:path';
import { readCommandLine } from '../command-line.ts';

export interface Options {
  readonly port: number;
  /** Absolute. Where D1, KV, the objects and the demonstration's tokens are kept. */
  readonly stateDir: string;
  /** No demonstration data. */
  readonly empty: boolean;
  /** The output: everything, the address alone, or one line of JSON. */
  readonly print: 'all' | 'address' | 'json';
}

const USAGE = `npm start -- [--port N] [--state DIR] [--empty] [--quiet | --json]
  --port N      the port to listen on (8787)
  --state DIR   where the data is kept (.state)
  --empty       no demonstration data
  --quiet       print the address alone, once it answers: no banner, no log
  --json        print one line of JSON instead: address and tokens`;

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
    quiet: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  } as const;
  const { port, state, empty, quiet, json } = readCommandLine(USAGE, { options }, args).values;
  if (quiet && json) throw new Error(`Either --quiet or --json.\n\n${USAGE}`);
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`No port: ${port}\n\n${USAGE}`);
  }
  const print = json ? 'json' : quiet ? 'address' : 'all';
  return { port: Number(port), stateDir: resolve(state), empty, print };
}
