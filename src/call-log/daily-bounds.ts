/** Of how many refused calls of a credential the bodies are kept, in each database and on each day in UTC. */
export const REFUSED_CALLS_A_DAY = 10_000;
/** How many bytes of requests are kept whole of its other calls. */
export const REQUEST_BYTES_A_DAY = 256 * 1024 * 1024;

/** The statuses of calls that are refused for what the caller has, or sent. */
const REFUSED: readonly number[] = [400, 401, 403, 413, 415, 422];

/** Whether the log keeps less of a call that was answered like this: the sender may want to fill the log. */
export const isRefused = (httpStatus: number): boolean => REFUSED.includes(httpStatus);
