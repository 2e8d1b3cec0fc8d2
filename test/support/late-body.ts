/** Longer than an admission waits for the municipality that a body names. */
const LATE_MS = 250;

/** A body whose first byte comes at once, and the rest late. */
export function lateBody(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: async (controller) => {
      controller.enqueue(bytes.slice(0, 1));
      await scheduler.wait(LATE_MS);
      controller.enqueue(bytes.slice(1));
      controller.close();
    },
  });
}
