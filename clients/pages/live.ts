// Puts new figures into a page that shows free spaces, as long as somebody looks at it.
import { type Place, sortByDistance } from './near.ts';

const EVERY_MS = 60_000;
const MAX_MS = 600_000;

let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** What the page had before a script changed it. */
let last = document.getElementById('live')?.innerHTML;
/** Where the reader is, once the nearest areas are wanted. */
let here: Place | null = null;
const near = document.getElementById('near') as HTMLButtonElement | null;

offerNear();
plan();
document.addEventListener('visibilitychange', () => {
  if (document.hidden) clearTimeout(timer);
  else void refresh();
});
addEventListener('online', () => void refresh());

function plan(): void {
  clearTimeout(timer);
  // Readers whose service has failed do not all come back at once.
  const spread = failures === 0 ? 1 : 1 + Math.random() / 4;
  timer = setTimeout(refresh, Math.min(EVERY_MS * 2 ** failures, MAX_MS) * spread);
}

async function refresh(): Promise<void> {
  plan();
  const shown = document.getElementById('live');
  if (document.hidden || shown === null) return;
  try {
    const response = await fetch(location.pathname + location.search);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.getElementById('live');
    if (!response.ok || fresh === null) throw new Error('not this page');
    failures = 0;
    put(fresh, shown);
    say(page.getElementById('notice')?.textContent ?? '');
  } catch {
    failures += 1;
    // Nothing old looks new.
    shown.classList.add('stale');
    say(shown.dataset.offline ?? '');
  }
  plan();
}

/** The notice is the same element all along: a screen reader says what is new in it, and nothing else. */
function say(text: string): void {
  const notice = document.getElementById('notice');
  if (notice !== null && notice.textContent !== text) notice.textContent = text;
}

/** A reader who has opened areas, or come to a link by keyboard, keeps both. */
function put(fresh: HTMLElement, shown: HTMLElement): void {
  if (fresh.innerHTML === last && !shown.classList.contains('stale')) return;
  last = fresh.innerHTML;
  const opened = [...shown.querySelectorAll('details[open] > div')].map(({ id }) => id);
  const focused = nameOf(document.activeElement);
  shown.className = fresh.className;
  shown.replaceChildren(...document.importNode(fresh, true).childNodes);
  for (const id of opened) document.getElementById(id)?.parentElement?.setAttribute('open', '');
  sort();
  if (focused !== undefined) {
    const places = shown.querySelectorAll<HTMLElement>('a, summary');
    [...places].find((place) => nameOf(place) === focused)?.focus();
  }
}

/** What a link or a row of the figures is known by, across a refresh. */
function nameOf(place: Element | null): string | undefined {
  if (place === null || place.closest('#live') === null) return undefined;
  return place.getAttribute('href') ?? place.nextElementSibling?.id;
}

function sort(): void {
  const list = document.querySelector('.areas');
  if (here !== null && list !== null) sortByDistance(list, here);
}

function offerNear(): void {
  if (near === null || !('geolocation' in navigator) || document.querySelector('[data-lat]') === null) return;
  near.disabled = false;
  near.addEventListener('click', () => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        near.setAttribute('aria-pressed', 'true');
        near.parentElement?.querySelector('[aria-current]')?.removeAttribute('aria-current');
        if (here === null) {
          here = coords;
          sort();
        }
      },
      () => say(near.dataset.denied ?? ''),
    );
  });
}
