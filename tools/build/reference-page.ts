import { codeOf, docsPage, escaped, markupOf } from './docs-page.ts';

/** What the page needs of the description. */
export interface Description {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

interface Reference {
  readonly $ref: string;
  /** Of an error answer: which of its codes the operation has, where it has not all of them. */
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Answer {
  readonly description: string;
  readonly content?: Contents;
}

type Contents = Readonly<Record<string, Content>>;

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** What somebody builds, and where to read on. */
const STARTS = `
<ul class="cards">
<li class="card"><h2>I build a gate</h2><p>Ask at each entry and exit whether to open; decide from a list while the network is away.</p><p><a href="/docs/gate">Start here</a>, <a href="#checkPlate">the call</a>, <a href="/docs/interface/plate-check">its rules</a></p></li>
<li class="card"><h2>I build a parking meter</h2><p>Ask which plans a plate can buy; report what was paid, so that it is valid from then on.</p><p><a href="/docs/meter">Start here</a>, <a href="/docs/interface/subscription-options">plans</a>, <a href="/docs/interface/payments">payments</a></p></li>
<li class="card"><h2>I build an import</h2><p>Send sessions or subscriptions as lines of JSON, as often as you like.</p><p><a href="/docs/calling">Start here</a>, <a href="#importSessions">sessions</a>, <a href="#importSubscriptions">subscriptions</a></p></li>
<li class="card"><h2>I build a widget or a map</h2><p>Show free spaces, without a key: ready to embed on each city’s page, or as JSON, GeoJSON and DATEX II.</p><p><a href="/">Cities</a>, <a href="#getPublicOccupancy">free spaces</a>, <a href="#getOccupancyFeatures">GeoJSON</a></p></li>
</ul>
`;

/** The page for developers: where to begin, what a negative and an error are, and every operation, collapsed. */
export function referencePage(description: Description): Uint8Array {
  const [intro = '', first = '', ...guide] = description.info.description.split(/^(?=## )/m);
  const operations = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = description.tags.map(({ name, description: words }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const shown = own.map(({ path, method, operation }) =>
      writeOperation(path, method, operation, description),
    );
    return `<h3>${escaped(name)}</h3>\n<p class="note">${escaped(words)}</p>\n${shown.join('')}`;
  });
  return docsPage(
    'For developers',
    `<h1>For developers</h1>
${markupOf(intro)}${STARTS}${markupOf(first)}<h2 id="operations">Operations</h2>
${groups.join('')}${markupOf(guide.join(''))}`,
  );
}

function writeOperation(
  path: string,
  method: string,
  { operationId, summary, description: words, parameters = [], requestBody, responses }: DescribedOperation,
  description: Description,
): string {
  const [type = '', body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const { components } = description;
  const answers = Object.entries(responses).map(([status, answer]) => ({
    status,
    answer: '$ref' in answer ? named(answer.$ref, components.responses) : answer,
    codes: '$ref' in answer ? answer.description : undefined,
  }));
  const taken = parameters.map((one) => ('$ref' in one ? named(one.$ref, components.parameters) : one));
  const rows = taken
    .flatMap((parameter) => parameter ?? [])
    .map((parameter) => ({
      ...{ name: parameter.name, schema: parameter.schema, isRequired: parameter.required === true },
      words: `In the ${parameter.in}. ${parameter.description ?? ''}`,
    }));
  return `<details class="operation"><summary><b>${method.toUpperCase()}</b> ${codeOf(path)} <span>${escaped(summary)}</span></summary>
<div id="${operationId}">
${markupOf(words)}
${rows.length === 0 ? '' : `<h4>Parameters</h4>${tableOf(rows)}`}
${body === undefined ? '' : `<h4>Body: ${escaped(type)}</h4>${fieldsOf(body.schema, description)}${exampleOf(body)}`}
<h4>Answers</h4>
${answers.map(({ status, answer, codes }) => writeAnswer(status, answer, codes, description)).join('')}
</div></details>
`;
}

function writeAnswer(
  status: string,
  answer: Answer | undefined,
  codes: string | undefined,
  description: Description,
): string {
  if (answer === undefined) return '';
  const [words = ''] = answer.description.split('\n');
  const said = `<p><b>${status}</b> ${inline([words, codes].join(' '))}</p>\n`;
  const [content] = Object.values(answer.content ?? {});
  const isError = Number(status) >= 400;
  return content === undefined || isError
    ? said
    : said + fieldsOf(content.schema, description) + exampleOf(content);
}

/** The first example, as it is sent: lines stay lines. */
function exampleOf({ example, examples = {} }: Content): string {
  const value = example ?? Object.values(examples)[0]?.value;
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return `<pre tabindex="0">${escaped(text.trimEnd())}</pre>\n`;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly words: string;
}

const fieldsOf = (schema: Schema | undefined, description: Description): string => {
  const fields = schema === undefined ? [] : fieldsIn(schema, '', description, []);
  return fields.length === 0 ? '' : tableOf(fields);
};

const tableOf = (fields: readonly Field[]): string =>
  `<div class="scroll" tabindex="0"><table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${fields
    .map(
      ({ name, schema, isRequired, words }) =>
        `<tr><td>${codeOf(name)}${isRequired ? '' : ' <small>optional</small>'}</td><td>${typeOf(schema)}</td><td>${inline(words)}</td></tr>`,
    )
    .join('\n')}</tbody></table></div>\n`;

const inline = (words: string): string => markupOf(words).replaceAll(/^<p>|<\/p>\n?$/g, '');

/** The fields of a schema, those of objects within it by their path; objects that have been shown on the way end it. */
function fieldsIn(
  schema: Schema,
  within: string,
  description: Description,
  seen: readonly string[],
): readonly Field[] {
  if (schema.$ref !== undefined) {
    const found = named(schema.$ref, description.components.schemas);
    return found === undefined || seen.includes(schema.$ref)
      ? []
      : fieldsIn(found, within, description, [...seen, schema.$ref]);
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = within + name;
    const field: Field = {
      ...{ name: path, schema: property, words: property.description ?? '' },
      isRequired: schema.required?.includes(name) === true,
    };
    return [field, ...fieldsIn(property, `${path}.`, description, seen)];
  });
  const inside =
    schema.items === undefined ? [] : fieldsIn(schema.items, `${within.slice(0, -1)}[].`, description, seen);
  const all = [...own, ...inside, ...parts.flatMap((part) => fieldsIn(part, within, description, seen))];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

function typeOf({ type, enum: values, const: value, anyOf, oneOf, $ref, items }: Schema): string {
  if (value !== undefined) return codeOf(JSON.stringify(value));
  if (values !== undefined)
    return values
      .filter((one) => one !== '')
      .map((one) => codeOf(String(one)))
      .join(' ');
  if (items !== undefined) return 'list';
  if ($ref !== undefined) return 'object';
  const several = [...(anyOf ?? []), ...(oneOf ?? [])].map(typeOf);
  return several.length > 0 ? [...new Set(several)].join(' or ') : [type ?? ''].flat().join(' or ');
}

const named = <Value>(ref: string, values: Readonly<Record<string, Value>>): Value | undefined =>
  values[ref.split('/').at(-1) ?? ''];
