/** The methods of a text for formats: `email(params) { … }` and twenty-five more. */
const FORMATS = /(?<=_ZodString\.init\(inst, def\);\n\}), \{\n {4}email\(params\) \{[\s\S]*?\n\}(?=\);\n)/;

/** Zod's helpers as one value, all of them then; taken by name, those that nothing uses stay behind. */
const HELPERS = 'import { util } from "../core/index.js"';

/**
 * Takes out of zod's schemas what brings its formats along, thirty schemas that are made while the module is loaded. Those
 * that are written as `z.uuid()` stay; `z.string().uuid()` does not work in what is built.
 *
 * @throws Error when zod is written otherwise
 */
export function withoutFormats(source: string): string {
  if (!FORMATS.test(source) || !source.includes(HELPERS)) {
    throw new Error('Look what of this version of zod can be left behind');
  }
  return source
    .replace(FORMATS, '')
    .replace(HELPERS, 'import * as util from "../core/util.js"')
    .replaceAll('core.util.', 'util.');
}
