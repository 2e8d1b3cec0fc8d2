/** The name of the message to the page around a frame: `{ [HEIGHT_MESSAGE]: 640 }`, in pixels. */
export const HEIGHT_MESSAGE = 'parking-occupancy-height';

/** Tells the page around a frame, whichever it is, how high the content is: now, and whenever that changes. */
export function tellHeight(): void {
  if (parent === window) return;
  const root = document.documentElement;
  new ResizeObserver(() => {
    parent.postMessage({ [HEIGHT_MESSAGE]: Math.ceil(root.getBoundingClientRect().height) }, '*');
  }).observe(root);
}
