// Puts new figures into a page that shows free spaces, as long as somebody looks at it.
const EVERY_MS = 60_000;
const MAX_MS = 600_000;

let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

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
    if (!response.ok || fresh === null) throw new Error(`the page answered ${response.status}`);
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

/** Whoever had come to a link by keyboard stays there. */
function put(fresh: HTMLElement, shown: HTMLElement): void {
  const focused = document.activeElement?.closest('#live a')?.getAttribute('href') ?? null;
  if (fresh.innerHTML === shown.innerHTML && !shown.classList.contains('stale')) return;
  shown.className = fresh.className;
  shown.replaceChildren(...document.importNode(fresh, true).childNodes);
  if (focused !== null) {
    [...shown.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus();
  }
}
