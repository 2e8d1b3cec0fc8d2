import { vi } from 'vitest';

/** The structured log's lines from now on, parsed, until it is restored. */
export function watchedLog() {
  const lines: unknown[] = [];
  const spies = (['log', 'warn', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((line: string) => {
      lines.push(JSON.parse(line));
    }),
  );
  const restore = () => {
    for (const spy of spies) spy.mockRestore();
  };
  return { lines, restore };
}
