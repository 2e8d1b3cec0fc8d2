/** The refused calls of a credential that are kept with their bodies, per database and UTC day. */
export const REFUSED_CALLS_A_DAY = 10_000;
/** The bytes of requests that are kept of its other calls. */
export const REQUEST_BYTES_A_DAY = 256 * 1024 * 1024;

/** The statuses of refusals that the caller's credential or request caused. */
const REFUSED: readonly number[] = [400, 401, 403, 413, 415, 422];

/** Whether the log keeps less of a call with this status, whose sender may want to fill the log. */
export const isRefused = (httpStatus: number): boolean => REFUSED.includes(httpStatus);
