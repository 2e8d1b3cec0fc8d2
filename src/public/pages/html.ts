import { html as escaped, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { withSteeringShown } from '../../base/text/steering.ts';

/** Markup whose values were escaped when they were put in. */
export type Html = HtmlEscapedString;
type Value = Html | string | number | null | readonly (Html | null)[];

/** Markup in which every value is escaped by construction. Null becomes nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  // It is a promise only where a value is one.
  return escaped(strings, ...values) as Html;
}

/** A configured name, in its own text direction, and without effect on what follows. */
export const nameOf = (name: string): Html => html`<bdi>${withSteeringShown(name)}</bdi>`;

/** Markup of ours, with nothing of anybody else's in it. */
export const trustMarkup = (markup: string): Html => raw(markup);
