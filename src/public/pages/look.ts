/** The style of every page. */
export const STYLE = '/pages/style.css';

/** The drawing of the parking sign, 32 by 32. */
export const SIGN =
  '<rect width="32" height="32" rx="7" fill="#0b57a4"/><path d="M12 25V7h6a5.5 5.5 0 0 1 0 11h-6" fill="none" stroke="#fff" stroke-width="4"/>';
/** The sign as the icon of a page. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SIGN}</svg>`)}`;
