import { withoutDatabase } from '../public-occupancy/city.ts';

export const CITY_PAGE = '/cities/H501';

/** Pages and scripts are no JSON: as they came. Without a database: no reader reaches it. */
export async function getPage(path: string, headers: Record<string, string> = {}, asked = withoutDatabase()) {
  const sent = await asked.send(new Request(`https://parking.test${path}`, { headers }));
  const { status, text } = sent;
  return { status, headers: sent.headers, text, title: text.match(/<title>(.*)<\/title>/)?.[1] };
}

/** What a reader sees of each area: its name, its status, its figures. */
export function areasOf(text: string): string[] {
  return [...text.matchAll(/<li class="area .*?<\/li>/gs)].map(([item]) => wordsOf(item));
}

export const wordsOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** How many bytes go over the wire. */
export async function gzipped(text: string): Promise<number> {
  const { body } = new Response(text);
  const packed = body?.pipeThrough(new CompressionStream('gzip'));
  return (await new Response(packed).arrayBuffer()).byteLength;
}
