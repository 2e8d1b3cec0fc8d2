import { Document, visit } from 'yaml';
import { holdsSteering, withSteeringEscaped } from '../../../src/base/text/text.ts';

/** YAML as people edit it: no folded lines, and no text that steers the terminal. */
export function yamlText(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, scalar) {
      // Only in double quotes may a character be written as its number.
      if (typeof scalar.value === 'string' && holdsSteering(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return withSteeringEscaped(document.toString(ONE_LINE)).trimEnd();
}

/** For each text of any length. */
const ONE_LINE = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };
