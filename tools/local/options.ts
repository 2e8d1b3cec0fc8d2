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

const DEFAULT_PORT = 8787;
const DEFAULT_STATE_DIR = '.state';

const USAGE = `npm start -- [--port N] [--state DIR] [--empty] [--quiet | --json]
  --port N      the port to listen on (${DEFAULT_PORT})
  --state DIR   where the data is kept (${DEFAULT_STATE_DIR})
  --empty       no demonstration data
  --quiet       print the address alone, once it answers: no banner, no log
  --json        print one line of JSON instead: address and tokens`;

/**
 * Reads the arguments of `npm start --`.
 *
 * @throws Error with the usage, for an unknown option
 */
export function readOptions(args: readonly string[]): Options {
  const { values } = readCommandLine(
    USAGE,
    {
      options: {
        port: { type: 'string', default: String(DEFAULT_PORT) },
        state: { type: 'string', default: DEFAULT_STATE_DIR },
        empty: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    },
    args,
  );
  const { port, state, empty, quiet, json } = values;
  if (quiet && json) throw new Error(`Either --quiet or --json.\n\n${USAGE}`);
  return {
    port: portOf(port),
    stateDir: resolve(state),
    empty,
    print: json ? 'json' : quiet ? 'address' : 'all',
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`No port: ${text}\n\n${USAGE}`);
  }
  return port;
}
