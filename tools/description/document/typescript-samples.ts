import { addressOf, holderOf, type SampleCall } from './sample-call.ts';

/** GeoJSON, another kind of JSON, has no method in the client. */
const FETCHED = 'getOccupancyFeatures';
/** Their methods take lines in an object of their own. */
const IMPORTS = ['importSessions', 'importSubscriptions'];
const RESTORE = 'restoreMunicipality';
/** The operation's name, and the method's. */
const NAMES: Readonly<Record<string, string>> = {
  checkPlateAlias: 'checkPlate',
  listEntitlements: 'getEntitlementListPage',
};

const WIDTH = 100;

/** A call by the typed client. */
export function typescriptSample(call: SampleCall): string {
  const { of } = call;
  if (of.id === FETCHED) {
    return `const response = await fetch(\`\${process.env.URL}${addressOf(call)}\`);\nconsole.log(response.status, await response.text());`;
  }
  const { variables, settings } = TOKENS[holderOf(of.access)];
  return [
    ...(of.id === RESTORE ? ["import { readFile } from 'node:fs/promises';"] : []),
    "import { createClient } from 'parking-client';",
    '',
    `const { ${['URL: baseUrl', ...variables].map((name) => `${name} = ''`).join(', ')} } = process.env;`,
    `const parking = createClient({ ${['baseUrl', ...settings].join(', ')} });`,
    `const result = await parking.${NAMES[of.id] ?? of.id}(${argumentsOf(call)});`,
    'console.log(result.ok ? result.answer : result.code);',
  ].join('\n');
}

const TOKENS = {
  anybody: { variables: [], settings: [] },
  credential: { variables: ['TOKEN: token'], settings: ['token'] },
  administrator: { variables: ['ADMIN_TOKEN: administratorToken'], settings: ['administratorToken'] },
} as const;

function argumentsOf({ of, path, query, body }: SampleCall): string {
  const input = { ...path, ...query };
  if (of.id === RESTORE) {
    return literal(input).replace(/ }$/, ", part: await readFile('part.ndjson', 'utf8') }");
  }
  if (IMPORTS.includes(of.id)) {
    const lines = String(body)
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
    return `${literal({ lines })}, ${literal(input)}`;
  }
  const all = { ...input, ...Object(body) };
  return Object.keys(all).length === 0 ? '' : literal(all);
}

/** A value in ordinary TypeScript style. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const further = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, further))
    : Object.entries(value).map(([name, item]) => `${name}: ${literal(item, further)}`);
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' '];
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  if (items.length === 0) return open + close;
  if (line.length + indent.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${items.map((item) => `${further}${item},\n`).join('')}${indent}${close}`;
}
