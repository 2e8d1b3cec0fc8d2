import { unsafeCSS } from 'lit';

/** `widget.css`, minified by the bundler. */
declare const WIDGET_CSS: string;

export const STYLES = unsafeCSS(WIDGET_CSS);
