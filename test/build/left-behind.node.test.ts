import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withDroppableConstants, withoutAnswers } from '../../tools/build/answers.ts';
import { buildWorker } from '../../tools/build/worker.ts';
import { withoutFormats } from '../../tools/build/zod.ts';

describe('The build', () => {
  it('takes the schema of an answer out of an operation, and leaves what answers', () => {
    const text =
      "operation({\n  id: 'a',\n  answer: { line: aLine },\n  handle: () => ({\n    answer: made,\n  }),\n});";
    expect(withoutAnswers(text)).toBe(text.replace('{ line: aLine }', 'null'));
  });

  it('wants the schema of an answer to have a name', () => {
    expect(() => withoutAnswers('  answer: z.object({\n    id,\n  }),')).toThrow(
      'Give the schema of an answer a name',
    );
  });

  it.each([
    ['export const a = ', 'z.int()', '\n'],
    ['const a = ', 'z\n  .object({\n    b: c,\n\n    d,\n  })\n  .strict()', '\nexport function e() {}\n'],
    ['const a = ', '{\n  b: (c) => {\n    d();\n\n    e();\n  },\n}', '\n\n/** F. */\nfunction f() {}\n'],
  ])('lets a constant go that nothing uses, whole: %j, %j', (name, value, rest) => {
    const dropped = withDroppableConstants(`${name}${value};${rest}`);
    expect(dropped.startsWith(`${name}/* @__PURE__ */ made(() => (${value}));${rest}`)).toBe(true);
  });

  it.each([
    'const a = 64;\n',
    "const a = 'b';\n",
    'const a = (b) => b;\n',
    'function a() {\n  const b = c;\n}\n',
  ])('leaves a number, a text and a function as they are: %j', (text) => {
    expect(withDroppableConstants(text).startsWith(text)).toBe(true);
  });

  it('does not know its way around another zod', () => {
    expect(() => withoutFormats('export const ZodString = 1;')).toThrow('Look what of this version of zod');
  });
});

describe('What is built', () => {
  it('asks no text for one of the formats that are left behind', async () => {
    const { inputs } = await buildWorker();
    const formats =
      /(?<!\bz\s*)(?<!\.iso\s*)\.(email|url|jwt|emoji|guid|uuid(v[467])?|nanoid|c?uid2?|ulid|base64(url)?|xid|ksuid|(ip|cidr)v[46]|e164|datetime|date|time|duration)\(/;
    const asking = inputs.filter(
      (file) => file.startsWith('src/') && formats.test(readFileSync(file, 'utf8')),
    );
    expect(inputs).toContain('src/plate-check/contract.ts');
    expect(asking).toEqual([]);
  });
});
