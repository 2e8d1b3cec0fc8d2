/** The schema of an operation's answer, as the operations' own files name it. */
const ANSWER = /^ {2}answer: (.*)$/gm;

/** A constant that is more than a number, a text or a function, up to the line before the next statement. */
const CONSTANT =
  /^((?:export )?const \w+ = )([\w{[](?:.*\n(?=\n*[\s)}\]]))*.*);$(?=\n*(?:[^\s)}\]]|$(?![\s\S])))/gm;

/**
 * Takes the schemas of answers out of an operation: they make the description, and no call asks them.
 *
 * @throws Error for one that is written out over several lines
 */
export const withoutAnswers = (source: string): string =>
  source.replaceAll(ANSWER, (_, schema: string) => {
    if (!schema.endsWith(',')) throw new Error(`Give the schema of an answer a name: ${schema}`);
    return '  answer: null,';
  });

/**
 * Lets the bundler leave constants behind that nothing uses: it cannot know that making a schema does nothing else. Each is
 * returned by a function of the file, since the bundler would take a function that is called on the spot apart again.
 */
export function withDroppableConstants(source: string): string {
  const droppable = source.replaceAll(CONSTANT, (whole: string, name: string, value: string) =>
    /^\d/.test(value) ? whole : `${name}/* @__PURE__ */ made(() => (${value}));`,
  );
  return `${droppable}\nfunction made<Value>(make: () => Value): Value { return make(); }\n`;
}
