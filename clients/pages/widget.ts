// The element `<parking-occupancy>`: it frames a city's page and gives the frame the height of its content.

import { HEIGHT_MESSAGE } from './frame-height.ts';

const NAME = 'parking-occupancy';
const ATTRIBUTES = ['base', 'municipality', 'area-type', 'areas', 'lang', 'theme'];

/** The title that a screen reader tells of the frame. */
const TITLES: Readonly<Record<string, string>> = {
  en: 'Free parking spaces',
  it: 'Posti liberi',
  de: 'Freie Parkplätze',
  fr: 'Places libres',
};

const STYLES = `
  :host { display: block; overflow: auto }
  slot[hidden] { display: none }
  iframe { display: block; inline-size: 100%; block-size: 0; border: 0; color-scheme: normal }
`;

/** A page that never ends is an error. */
const MAX_HEIGHT = 100_000;

class ParkingOccupancy extends HTMLElement {
  static readonly observedAttributes = ATTRIBUTES;
  readonly #frame = document.createElement('iframe');
  /** The page's own content, until the frame has some. */
  readonly #before = document.createElement('slot');
  #isPlanned = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    // A style sheet of the script's own is none of those that a page's policy forbids.
    const styles = new CSSStyleSheet();
    styles.replaceSync(STYLES);
    root.adoptedStyleSheets = [styles];
    root.append(this.#before);
  }

  connectedCallback(): void {
    addEventListener('message', this.#hear);
    this.#plan();
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#hear);
  }

  attributeChangedCallback(): void {
    this.#plan();
  }

  /** Several attributes that change at once make one new frame. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.isConnected) this.#show();
    });
  }

  #show(): void {
    const municipality = this.#text('municipality');
    if (municipality === '') {
      this.#frame.remove();
      this.#before.hidden = false;
      console.warn(`<${NAME}>: give "municipality" the code of a municipality, such as "L219"`);
      return;
    }
    const language = this.#language;
    const address = new URL(`${this.#base}/embed/${encodeURIComponent(municipality)}`);
    const { searchParams } = address;
    if (language !== '') searchParams.set('lang', language);
    if (this.#text('area-type') !== '') searchParams.set('area_type', this.#text('area-type'));
    if (this.#text('theme') !== '') searchParams.set('theme', this.#text('theme'));
    for (const area of this.#text('areas').split(',')) {
      if (area.trim() !== '') searchParams.append('area', area.trim());
    }
    this.#frame.title = TITLES[language] ?? NAME;
    if (this.#frame.src !== address.href) this.#frame.src = address.href;
    if (!this.#frame.isConnected) this.shadowRoot?.append(this.#frame);
  }

  /** The service; without the attribute, where the script comes from. */
  get #base(): string {
    const given = this.#text('base');
    const url = URL.canParse(given) ? new URL(given) : null;
    if (url !== null && /^https?:$/.test(url.protocol)) return url.origin + url.pathname.replace(/\/+$/, '');
    if (given !== '')
      console.warn(`<${NAME}>: base="${given}" is not an address such as "https://parking.example"`);
    return new URL(import.meta.url).origin;
  }

  /** The first part of its own language, or of that of the page around it. */
  get #language(): string {
    return this.closest<HTMLElement>('[lang]')?.lang.trim().toLowerCase().split('-')[0] ?? '';
  }

  #text(attribute: string): string {
    return this.getAttribute(attribute)?.trim() ?? '';
  }

  /** Any window may send a message: only that of the frame counts, while it shows the service. */
  readonly #hear = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source === null || source !== this.#frame.contentWindow) return;
    if (origin !== new URL(this.#frame.src).origin) return;
    const height: unknown =
      typeof data === 'object' && data !== null ? Reflect.get(data, HEIGHT_MESSAGE) : null;
    if (typeof height !== 'number' || !(height > 0 && height <= MAX_HEIGHT)) return;
    this.#frame.style.blockSize = `${height}px`;
    this.#before.hidden = true;
  };
}

// A page may load the script twice.
if (customElements.get(NAME) === undefined) customElements.define(NAME, ParkingOccupancy);
