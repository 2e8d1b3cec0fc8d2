// What the description's samples use of Node: this project installs no types.
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

declare module 'node:fs/promises' {
  export function readFile(path: string, encoding: 'utf8'): Promise<string>;
}
