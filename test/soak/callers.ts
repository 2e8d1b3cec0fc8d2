import { Agent, request } from 'node:http';

/** Who calls, as a share of all calls, and what it asks. */
export interface Caller {
  readonly name: string;
  readonly share: number;
  readonly path: string;
  readonly body: (index: number) => object;
  /** Whether an answer to the index-th call is right. */
  readonly isRight: (index: number, answer: Readonly<Record<string, unknown>>) => boolean;
}

const AREAS = 21;

/** Barriers 70 %, meters 10 %, widgets 20 %. */
export const CALLERS: readonly Caller[] = [
  {
    name: 'barrier',
    share: 0.7,
    path: '/api/v2/parking-entitlements/search',
    // Vehicles of the facility, and as many that nobody knows.
    body: (index) => ({
      plate: index % 2 === 0 ? `X${AREAS * (1 + (index % 400))}` : `NOBODY${index % 1_000}`,
      area_code: 'P1',
      event: index % 4 < 2 ? 'entry' : 'exit',
    }),
    isRight: (index, answer) => answer.access_granted === (index % 2 === 0),
  },
  {
    name: 'meter',
    share: 0.1,
    path: '/api/v2/parking-meters/subscription-options',
    body: (index) => ({ plate: `T${1 + (index % 10_000)}`, terminal_code: 'M1' }),
    isRight: (_, answer) => answer.result_code === 'OPTIONS_AVAILABLE',
  },
  {
    name: 'widget',
    share: 0.2,
    path: '/api/v2/parking/reports/active-by-area',
    body: (index) => (index % 2 === 0 ? {} : { area_type: 'facility' }),
    isRight: (_, answer) => Array.isArray(answer.rows) && answer.rows.length > 0,
  },
];

/** The caller of the index-th call: the shares hold in any hundred calls. */
export function callerOf(index: number): Caller {
  const place = ((index * 37) % 100) / 100;
  let upTo = 0;
  for (const caller of CALLERS) {
    upTo += caller.share;
    if (place < upTo - 1e-9) {
      return caller;
    }
  }
  throw new Error('the shares of the callers do not add up to one');
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Posts a body on a connection that is kept. */
export function post(
  url: string,
  token: string,
  body: string,
  contentType = 'application/json',
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
  const call = request(url, { method: 'POST', agent, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
    );
    response.on('error', reject);
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}
