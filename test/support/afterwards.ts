/** Waits for what goes on after an answer, or after a double was given up on. */
const waits: (() => Promise<unknown>)[] = [];
const end = Promise.withResolvers<never>();
end.promise.catch(() => {});

/** A wait in a file that hangs in a way of its own, which reaches no storage any more. */
const PATIENCE_MS = 2_000;

/** To be waited for at the end of the file, so that nothing of it reaches the next file's storage. */
export function waitAfterwards(wait: () => Promise<unknown>): void {
  waits.push(wait);
}

/** What does not come as long as the file runs. */
export const never = (): Promise<never> => end.promise;

export async function allEnded(): Promise<void> {
  end.reject(new Error('the file has ended'));
  await Promise.race([Promise.allSettled(waits.map((wait) => wait())), scheduler.wait(PATIENCE_MS)]);
}
