import { codeOf, docsPage, escaped, markupOf } from './docs-page.ts';

/** What the page needs of the description. */
export interface Description {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

interface Reference {
  readonly $ref: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Answer {
  /** Of a reference to an error: which of its codes the operation has, where it has not all of them. */
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** A row of a table of fields. */
interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly words: string;
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
    Object.entries(item).map(([method, operation]) => ({
      tag: operation.tags[0],
      text: writeOperation(`<b>${method.toUpperCase()}</b> ${codeOf(path)}`, operation, description),
    })),
  );
  const groups = description.tags.map(({ name, description: words }) => {
    const own = operations.filter(({ tag }) => tag === name).map(({ text }) => text);
    return `<h3>${escaped(name)}</h3>\n<p class="note">${escaped(words)}</p>\n${own.join('')}`;
  });
  return docsPage(
    'For developers',
    `<h1>For developers</h1>
${markupOf(intro)}${STARTS}${markupOf(first)}<h2 id="operations">Operations</h2>
${groups.join('')}${markupOf(guide.join(''))}`,
  );
}

function writeOperation(call: string, operation: Operation, description: Description): string {
  const { operationId, summary, description: words, parameters, requestBody, responses } = operation;
  const taken = parameters.map((one): Field => {
    const {
      name,
      schema,
      required = false,
      in: place,
      description: meaning = '',
    } = resolved(one, description);
    return { name, schema, isRequired: required, words: `In the ${place}. ${meaning}` };
  });
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const answers = Object.entries(responses).map(([status, one]) => writeAnswer(status, one, description));
  return `<details class="operation"><summary>${call} <span>${escaped(summary)}</span></summary>
<div id="${operationId}">
${markupOf(words)}
${taken.length === 0 ? '' : `<h4>Parameters</h4>${tableOf(taken)}`}
${type === undefined || body === undefined ? '' : `<h4>Body: ${escaped(type)}</h4>${contentOf(body, description)}`}
<h4>Answers</h4>
${answers.join('')}
</div></details>
`;
}

/** An answer: its words, and of a success its fields and example. */
function writeAnswer(status: string, one: Answer | Reference, description: Description): string {
  const answer = resolved<Answer>(one, description);
  const codes = '$ref' in one && 'description' in one ? String(one.description) : '';
  const [words = ''] = (answer.description ?? '').split('\n');
  const said = `<p><b>${status}</b> ${inline(`${words} ${codes}`)}</p>\n`;
  const [content] = Object.values(answer.content ?? {});
  return content === undefined || Number(status) >= 400 ? said : said + contentOf(content, description);
}

/** The fields of a body or an answer, and its example as it is sent: lines stay lines. */
function contentOf({ schema, example }: Content, description: Description): string {
  const fields = fieldsIn(schema, '', description, []);
  const text = typeof example === 'string' ? example : JSON.stringify(example ?? null, null, 2);
  return (
    (fields.length === 0 ? '' : tableOf(fields)) +
    (example === undefined ? '' : `<pre tabindex="0">${escaped(text.trimEnd())}</pre>\n`)
  );
}

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
  const { $ref, properties = {}, required = [], items, anyOf = [], oneOf = [] } = schema;
  if ($ref !== undefined) {
    const found = resolved<Schema>({ $ref }, description);
    return seen.includes($ref) ? [] : fieldsIn(found, within, description, [...seen, $ref]);
  }
  const own = Object.entries(properties).flatMap(([name, property]): readonly Field[] => [
    {
      name: within + name,
      schema: property,
      isRequired: required.includes(name),
      words: property.description ?? '',
    },
    ...fieldsIn(property, `${within}${name}.`, description, seen),
  ]);
  const inItems = items ? fieldsIn(items, `${within.slice(0, -1)}[].`, description, seen) : [];
  const inParts = [...anyOf, ...oneOf].flatMap((part) => fieldsIn(part, within, description, seen));
  const all = [...own, ...inItems, ...inParts];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

function typeOf({ type, enum: values, const: value, anyOf, oneOf, $ref, items }: Schema): string {
  if (value !== undefined) return codeOf(JSON.stringify(value));
  if (values !== undefined) {
    const shown = values.filter((one) => one !== '');
    return shown.map((one) => codeOf(String(one))).join(' ');
  }
  if (items !== undefined) return 'list';
  if ($ref !== undefined) return 'object';
  const several = [...(anyOf ?? []), ...(oneOf ?? [])].map(typeOf);
  return several.length > 0 ? [...new Set(several)].join(' or ') : [type ?? ''].flat().join(' or ');
}

/** What a reference such as `#/components/schemas/Area` leads to; anything else, as it is. */
function resolved<Value extends object>(value: Value | Reference, description: Description): Value {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.slice('#/'.length).split('/');
  // The description's references lead to what OpenAPI has there: the linter checks it.
  return steps.reduce<unknown>((node, step) => Object(node)[step], description) as Value;
}
