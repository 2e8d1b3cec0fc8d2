import { commandSample } from './command-samples.ts';
import { bodyMediaType, type DescribedOperation } from './openapi/parts.ts';
import { addressOf, holderOf, quoted, type SampleCall, sampleCall } from './sample-call.ts';
import { typescriptSample } from './typescript-samples.ts';

/** A way to make a call, as renderers of OpenAPI show it: `x-codeSamples`. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

/** The description of these operations, each with its samples. */
export function withSamples(document: object, operations: readonly DescribedOperation[]): object {
  // The description is made of operations, by their paths.
  const { paths } = document as Document;
  const sampled = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => {
        const described = operations.find(({ of }) => of.id === operation.operationId);
        return [method, described ? { ...operation, 'x-codeSamples': codeSamples(described) } : operation];
      }),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(sampled) };
}

/** How to call an operation from curl, from TypeScript, and by the command `parking` if that can do it. */
function codeSamples(operation: DescribedOperation): readonly CodeSample[] {
  const call = sampleCall(operation);
  const command = commandSample(call);
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(call) },
    ...(command === null ? [] : [{ lang: 'Shell', label: 'parking', source: command }]),
  ];
}

function curlSample(call: SampleCall): string {
  const { of, body } = call;
  const media = bodyMediaType(of);
  // With a body, curl posts; without, it gets.
  const usual = media === null ? 'GET' : 'POST';
  const method = of.method === usual ? '' : ` -X ${of.method}`;
  const token = TOKENS[holderOf(of.access)];
  const data = typeof body === 'string' ? body : JSON.stringify(body);
  return [
    `curl${method} "$URL${addressOf(call)}"`,
    ...(token === null ? [] : [`  -H "Authorization: Bearer ${token}"`]),
    ...(media === null ? [] : [`  -H 'Content-Type: ${media}'`]),
    ...(media === null ? [] : [`  --data-binary ${quoted(data)}`]),
  ].join(' \\\n');
}

const TOKENS = { anybody: null, credential: '$TOKEN', administrator: '$ADMIN_TOKEN' } as const;
