/** The bodies of this many refused calls of a credential are kept, in each database and on each day in UTC. */
export const REFUSED_CALLS_A_DAY = 10_000;
/** Of its other calls, this many bytes of requests are kept whole. */
export const REQUEST_BYTES_A_DAY = 256 * 1024 * 1024;

/** The statuses of calls that are refused for the caller's credential or request. */
const REFUSED: readonly number[] = [400, 401, 403, 413, 415, 422];

/** Whether the log keeps less of a call with this status: its sender may want to fill the log. */
export const isRefused = (httpStatus: number): boolean => REFUSED.includes(httpStatus);
