import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  readonly port: number;
  /** Absolute. Where D1, KV, the objects and the demonstration's tokens are kept. */
  readonly stateDir: string;
  /** No demonstration data. */
  readonly empty: boolean;
}

const DEFAULT_PORT = 8787;
const DEFAULT_STATE_DIR = '.state';

const USAGE = `npm start -- [--port N] [--state DIR] [--empty]
  --port N      the port to listen on (${DEFAULT_PORT})
  --state DIR   where the data is kept (${DEFAULT_STATE_DIR})
  --empty       no demonstration data`;

/**
 * Reads what stands behind `npm start --`.
 *
 * @throws Error with the usage, for anything that is no option
 */
export function readOptions(args: readonly string[]): Options {
  const { port, state, empty } = parse(args);
  return { port: portOf(port), stateDir: resolve(state), empty };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: String(DEFAULT_PORT) },
        state: { type: 'string', default: DEFAULT_STATE_DIR },
        empty: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new Error(`No port: ${text}\n\n${USAGE}`);
  }
  return port;
}
