/** Something took too long. Becomes `TEMPORARY_ERROR`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/** The promise's outcome, or {@link TimeoutError} if it takes longer. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => over.reject(new TimeoutError(`no answer within ${milliseconds} ms`)),
    milliseconds,
  );
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
