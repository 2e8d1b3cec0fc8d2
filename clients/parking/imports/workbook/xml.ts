import { damaged } from './broken.ts';

/** A piece of XML. A tag that closes itself comes as an opening and a closing. */
export type Token =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string; readonly at: number }
  | { readonly kind: 'close'; readonly name: string; readonly at: number }
  | { readonly kind: 'text'; readonly text: string; readonly at: number };

/** A piece that is no tag. */
interface Piece {
  readonly opening: string;
  readonly closing: string;
}

const TEXT: Piece = { opening: '', closing: '' };
const CDATA: Piece = { opening: '<![CDATA[', closing: ']]>' };
/** It is refused. */
const DOCTYPE: Piece = { opening: '<!', closing: '>' };
const OTHERS: readonly Piece[] = [
  { opening: '<!--', closing: '-->' },
  CDATA,
  { opening: '<?', closing: '?>' },
  DOCTYPE,
];

const [BLANK, DOUBLE, SINGLE, SLASH, END] = [0x20, 0x22, 0x27, 0x2f, 0x3e];

/**
 * The pieces of XML one after the other, in one pass. Names come without their prefixes. The reader checks
 * that tags match.
 *
 * @throws BrokenWorkbook for a piece that does not end, and for a document type: entities of its own multiply
 */
export function* tokensOf(xml: string): Generator<Token, void, void> {
  let from = 0;
  while (from < xml.length) {
    const other = xml[from] === '<' ? OTHERS.find(({ opening }) => xml.startsWith(opening, from)) : TEXT;
    if (other === undefined) {
      const end = endOfTag(xml, from + 1);
      yield* tagOf(xml.slice(from + 1, end), end + 1);
      from = end + 1;
      continue;
    }
    const end = endOf(xml, from, other);
    if (other === TEXT) yield { kind: 'text', text: withoutEntities(xml.slice(from, end)), at: end };
    if (other === CDATA) {
      yield { kind: 'text', text: xml.slice(from + CDATA.opening.length, end), at: end };
    }
    from = end + other.closing.length;
  }
}

function endOf(xml: string, from: number, piece: Piece): number {
  if (piece === TEXT) {
    const next = xml.indexOf('<', from);
    return next === -1 ? xml.length : next;
  }
  const end = piece === DOCTYPE ? -1 : xml.indexOf(piece.closing, from + piece.opening.length);
  if (end === -1) throw damaged(`${piece.opening} does not end`);
  return end;
}

/** The opening tags alone. */
export function* openingsOf(xml: string): Generator<Token & { readonly kind: 'open' }, void, void> {
  for (const token of tokensOf(xml)) if (token.kind === 'open') yield token;
}

/** The index of its `>`; another one may be within quotes. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at += 1) {
    const code = xml.charCodeAt(at);
    if (code === END) return at;
    if (code !== DOUBLE && code !== SINGLE) continue;
    const close = xml.indexOf(code === DOUBLE ? '"' : "'", at + 1);
    if (close === -1) break;
    at = close;
  }
  throw damaged('a tag does not end');
}

function* tagOf(tag: string, at: number): Generator<Token, void, void> {
  if (tag.startsWith('/')) {
    yield { kind: 'close', name: localName(tag.slice(1).trim()), at };
    return;
  }
  const closesItself = tag.charCodeAt(tag.length - 1) === SLASH;
  const inner = closesItself ? tag.slice(0, -1) : tag;
  let end = 0;
  while (end < inner.length && inner.charCodeAt(end) > BLANK) end += 1;
  const name = localName(inner.slice(0, end));
  yield { kind: 'open', name, attributes: inner.slice(end), at };
  if (closesItself) yield { kind: 'close', name, at };
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The value of an attribute, whatever its prefix; undefined if there is none. */
export function attributeOf(attributes: string, wanted: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = attributes.indexOf('=', at);
    if (equals === -1) return undefined;
    const name = attributes.slice(at, equals).trim();
    let open = equals + 1;
    while (open < attributes.length && attributes.charCodeAt(open) <= BLANK) open += 1;
    const quote = attributes[open];
    const close = quote === '"' || quote === "'" ? attributes.indexOf(quote, open + 1) : -1;
    if (close === -1) return undefined;
    if (name === wanted || (localName(name) === wanted && !name.startsWith('xmlns:'))) {
      return withoutEntities(attributes.slice(open + 1, close));
    }
    at = close + 1;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const withoutEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|[a-z]{2,4});/g, characterOf) : text;

function characterOf(entity: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : entity;
}

/** Characters that XML cannot hold are written by their number between `_x` and `_`. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text
        .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        // A lone surrogate would become another character in the file of rejected rows.
        .toWellFormed()
    : text;
