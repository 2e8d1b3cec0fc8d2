import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { withSteeringShown } from '../../src/base/text/text.ts';
import { ageText, knownAt, timeText } from './age.ts';
import type { Area, Occupancy } from './answer.ts';
import { arrange, chosen, type Order } from './arrange.ts';
import { Polling } from './polling.ts';
import { readSettings, type Settings } from './settings.ts';
import { barOf, shapeOf } from './shapes.ts';
import { STYLES } from './styles.ts';
import { type Language, LOCALES, TEXTS, type Texts } from './texts.ts';

/** How often the age of the data is rewritten. */
const AGE_EVERY_MS = 15_000;

const SCRIPT_ORIGIN = new URL(import.meta.url).origin;

/**
 * How many spaces are free in a municipality's parking areas, now and later. Its attributes: `base`, `municipality`,
 * `area-type`, `areas`, `lang`; for its looks `compact` and `theme`, which the style reads. Its event: `parking-occupancy`,
 * with each answer. Its slot: the content before the first answer.
 */
export class ParkingOccupancy extends LitElement {
  static override properties: PropertyDeclarations = {
    base: {},
    municipality: {},
    areaType: { attribute: 'area-type' },
    areas: {},
    // Every element has a property `lang` already, which mirrors the attribute.
    language: { attribute: 'lang' },
    filter: { state: true },
    order: { state: true },
  };
  static override styles = STYLES;

  declare base: string | null;
  declare municipality: string | null;
  declare areaType: string | null;
  declare areas: string | null;
  declare language: string | null;
  declare filter: string;
  declare order: Order;

  readonly #polling = new Polling(this, (detail) =>
    this.dispatchEvent(new CustomEvent('parking-occupancy', { detail, bubbles: true, composed: true })),
  );
  #settings: Settings | null = null;
  #ageTimer: ReturnType<typeof setInterval> | undefined;
  #isRetryFocused = false;

  constructor() {
    super();
    this.filter = '';
    this.order = 'name';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#ageTimer = setInterval(() => {
      if (!document.hidden) this.requestUpdate();
    }, AGE_EVERY_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ageTimer);
  }

  protected override willUpdate(): void {
    const before = this.#settings;
    const settings = readSettings(
      {
        base: this.base,
        municipality: this.municipality,
        areaType: this.areaType,
        areas: this.areas,
        lang: this.language,
      },
      {
        scriptOrigin: SCRIPT_ORIGIN,
        documentLanguage: this.parentElement?.closest('[lang]')?.getAttribute('lang') ?? null,
      },
    );
    for (const warning of settings.warnings) {
      if (!before?.warnings.includes(warning)) console.warn(`<parking-occupancy>: ${warning}`);
    }
    this.#settings = settings;
    this.#polling.watch(settings.address);
    this.#isRetryFocused = this.renderRoot.querySelector('.retry:focus') !== null;
  }

  /** After “try again” the focus moves to the areas, not to the top of the page. */
  protected override updated(): void {
    if (this.#isRetryFocused && this.renderRoot.querySelector('.retry') === null) {
      this.renderRoot.querySelector<HTMLElement>('.list')?.focus();
    }
  }

  protected override render(): TemplateResult {
    const { view } = this.#polling;
    const language = this.#language;
    const texts = TEXTS[language];
    return html`<section
      class="card"
      part="card"
      lang=${language}
      aria-label=${view.kind === 'data' ? texts.title(withSteeringShown(view.occupancy.municipality.name)) : nothing}
      aria-busy=${view.kind === 'loading'}
    >
      <p class="message" role="status">${this.#message(texts)}</p>
      ${view.kind === 'failing' ? this.#retry(texts) : nothing}
      ${view.kind === 'data' ? this.#data(view.occupancy, view.isFailing, texts) : nothing}
    </section>`;
  }

  /** The notice instead of data. A template each, so that no text is reused for another. */
  #message(texts: Texts): unknown {
    const { kind } = this.#polling.view;
    switch (kind) {
      case 'unnamed':
        return html`<span>${texts.unnamed}</span>`;
      case 'loading':
        return html`<slot><span>${texts.loading}</span></slot>`;
      case 'failing':
        return html`<span>${texts.failing}</span>`;
      case 'not_public':
        return html`<span>${texts.notPublic}</span>`;
      case 'data':
        return nothing;
    }
  }

  #retry(texts: Texts): TemplateResult {
    return html`<button class="retry" type="button" @click=${this.#polling.askNow}>${texts.retry}</button>`;
  }

  /**
   * The notice about the data. Screen readers announce it when it changes, so it contains nothing that
   * changes with time.
   */
  #notice(occupancy: Occupancy, isFailing: boolean, texts: Texts): unknown {
    if (isFailing) return html`<span>${texts.failingWithData}</span>`;
    const { data_quality } = occupancy;
    if (data_quality === 'good') return nothing;
    return html`<span>${data_quality === 'outdated' ? texts.outdated : texts.degraded}</span>`;
  }

  #time(at: string, timezone: string): string {
    return timeText(at, timezone, this.#language, Date.now());
  }

  get #language(): Language {
    return this.#settings?.language ?? 'en';
  }

  #data(occupancy: Occupancy, isFailing: boolean, texts: Texts): TemplateResult {
    const { municipality, timezone } = occupancy;
    const areas = chosen(occupancy.areas, this.#settings?.areas ?? []);
    const isLate = occupancy.data_quality !== 'good';
    const language = this.#language;
    const at = knownAt(occupancy);
    const shown = arrange(areas, { text: this.filter, order: this.order, language });
    const notice = this.#notice(occupancy, isFailing, texts);
    return html`<h2 part="title">${texts.title(withSteeringShown(municipality.name))}</h2>
      <div class="tools" part="tools">
        <label
          >${texts.filter}
          <input type="search" autocomplete="off" spellcheck="false" .value=${this.filter} @input=${this.#onFilter}
        /></label>
        <label
          >${texts.sort}
          <select @change=${this.#onOrder}>
            <option value="name" ?selected=${this.order === 'name'}>${texts.byName}</option>
            <option value="free" ?selected=${this.order === 'free'}>${texts.byFree}</option>
          </select></label
        >
        <p class="unseen" role="status">
          ${this.filter.trim() === '' ? '' : texts.found(shown.length, areas.length)}
        </p>
      </div>
      <div class=${notice === nothing ? 'body' : 'body noticed'}>
        <div class="list" part="list" role="group" aria-label=${texts.areas} tabindex="0">
          ${
            shown.length > 0
              ? html`<ul role="list" class=${isLate || isFailing ? 'late' : nothing}>${shown.map((area) => this.#area(area, timezone, isLate ? at : null, texts))}</ul>`
              : html`<p class="none">${areas.length > 0 ? texts.noneFound(this.filter.trim()) : texts.noAreas}</p>`
          }
        </div>
        <div class="notice" part="notice"><p role="status">${notice}</p>${isFailing ? this.#retry(texts) : nothing}</div>
      </div>
      <div class="foot" part="foot">
        <p class="age">${at === null ? nothing : ageText(at, timezone, language, Date.now())}</p>
        <p>${texts.estimate}</p>
      </div>`;
  }

  #area(area: Area, timezone: string, lateSince: string | null, texts: Texts): TemplateResult {
    const number = new Intl.NumberFormat(LOCALES[this.#language]);
    const { capacity, available_now: now, closed_until } = area;
    const isKnown = capacity !== null && now !== null;
    const later = (minutes: number, count: number | null) => html`<span class="later" part="later">
      <span class="when">${texts.inMinutes(minutes)}</span>
      <span class="count">${count === null ? '–' : number.format(count)}</span>
    </span>`;
    return html`<li class=${area.status} part="area">
      <span class="name" part="name"
        >${withSteeringShown(area.name)}
        ${this.#settings?.areaType === null ? html`<span class="type">${texts.types[area.area_type]}</span>` : nothing}
      </span>
      <span class="status" part="status">${shapeOf(area.status)}${texts.statuses[area.status]}</span>
      <span class="now" part="now">
        ${
          isKnown
            ? html`<span class="free"
                ><strong>${number.format(now)}</strong> ${texts.free(now, number.format(capacity))}${
                  lateSince === null ? nothing : texts.lastKnown(this.#time(lateSince, timezone))
                }</span
              >`
            : html`<span class="free">${closed_until && area.status === 'closed' ? texts.closedUntil(this.#time(closed_until, timezone)) : texts.notKnown}</span>`
        }
        ${barOf(area)}
      </span>
      ${isKnown ? [later(30, area.available_after_30), later(60, area.available_after_60)] : nothing}
    </li>`;
  }

  readonly #onFilter = ({ target }: Event): void => {
    this.filter = target instanceof HTMLInputElement ? target.value : '';
  };

  readonly #onOrder = ({ target }: Event): void => {
    this.order = target instanceof HTMLSelectElement && target.value === 'free' ? 'free' : 'name';
  };
}
