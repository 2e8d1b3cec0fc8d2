/** A call of `.describe(…)` or `.meta({…})` with words written out, or the name of a constant that holds them. */
const CALL = /\.(?:describe|meta)\(\s*(?:TEXT|[A-Z_]+|\{(?:TEXT|[^'"`{}()])*\}),?\s*\)/.source.replaceAll(
  'TEXT',
  String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\``,
);
const WORDS = new RegExp(CALL, 'g');

/**
 * Takes the words of the description out of a file: a schema validates the same without them. Line numbers do
 * not change.
 *
 * @throws Error for words that are computed
 */
export function withoutWords(source: string): string {
  const stripped = source.replaceAll(WORDS, (call) => call.replaceAll(/[^\n]/g, ''));
  const left = /\.(?:describe|meta)\(.*/.exec(stripped);
  if (left !== null) {
    throw new Error(`Write the words of a schema out, so that the build can leave them behind: ${left[0]}`);
  }
  return stripped;
}
