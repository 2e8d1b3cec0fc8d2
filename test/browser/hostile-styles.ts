import type { Locator } from 'playwright-core';

/** What pages do to all their elements, and to names that the widget has inside. The size of the root is the reader's. */
export const HOSTILE = `
body, body * { color: lime !important; background: navy; font-size: 31px !important; font-style: italic !important;
  font-weight: 900 !important; line-height: 3 !important; letter-spacing: 9px !important; word-spacing: 9px !important;
  text-transform: uppercase !important; text-align: right !important; text-indent: 40px !important;
  text-shadow: 1px 1px red !important; white-space: nowrap !important; direction: rtl !important; cursor: wait !important;
  visibility: visible; font-variant: small-caps !important; --ink: lime; --paper: navy !important }
section, ul, li, p, h2, svg, input, select, label, .card, .list, .tools, .foot, .status, .area, .now {
  display: none !important; float: left !important; border: 9px solid red !important }`;

/** Where each element within is, and how it looks. */
export const looksIn = (root: Locator): Promise<string[]> =>
  root.evaluate((top) => {
    const from = top.getBoundingClientRect();
    return [top, ...top.querySelectorAll(':not(option)')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const said = [
        ...['color', 'backgroundColor', 'fontSize', 'fontStyle', 'fontWeight', 'lineHeight', 'letterSpacing'],
        ...[
          'wordSpacing',
          'textTransform',
          'textAlign',
          'textIndent',
          'textShadow',
          'whiteSpace',
          'direction',
        ],
        ...['cursor', 'visibility', 'fontVariant', 'display', 'float', 'borderWidth'],
      ].map((name) => style[name as 'color']);
      const place = [x - from.x, y - from.y, width, height].map(Math.round);
      return `${element.tagName} ${place} ${said.join(' ')}`;
    });
  });
