/** Where a gate keeps its list between two runs: a file in Node (`parking-client/gate/node`), anything else elsewhere. */
export interface ListStore {
  /** The text that was saved last, in pieces cut anywhere; null when there is none. */
  load(): Promise<AsyncIterable<string> | Iterable<string> | null>;
  /**
   * Replaces the text, as a whole or not at all. It contains no token, and a gate's text no plate. Saves
   * never overlap.
   */
  save(text: AsyncIterable<string>): Promise<void>;
}

/** Keeps the list as long as the process lives. */
export function memoryStore(): ListStore {
  let saved: string | null = null;
  return {
    load: async () => (saved === null ? null : [saved]),
    save: async (text) => {
      let whole = '';
      for await (const piece of text) whole += piece;
      saved = whole;
    },
  };
}
