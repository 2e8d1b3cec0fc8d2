import { html as escaped, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { withSteeringShown } from '../../base/text/steering.ts';

/** Markup whose values are escaped. */
export type Html = HtmlEscapedString;
type Value = Html | string | number | null | readonly (Html | null)[];

/** Builds markup, and escapes every value that is not markup. Null becomes empty. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  // A promise only if a value is one.
  return escaped(strings, ...values) as Html;
}

/** A configured name, isolated so that its text direction does not affect the surrounding text. */
export const nameOf = (name: string): Html => html`<bdi>${withSteeringShown(name)}</bdi>`;

/** Markup to insert unescaped: only for constants of ours. */
export const trustMarkup = (markup: string): Html => raw(markup);
