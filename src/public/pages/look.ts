/** Where the files that pages load are. */
export const PAGE_FILES = '/pages/';
/** Scripts of pages by their names, `office-import` of the office's reader of tables. */
export const SCRIPTS = ['live', 'copy', 'board', 'office', 'office-import'] as const;
/** Styles: that of every page, and what the page of a city, pages to work with, and pages for developers need besides. */
export const STYLES = ['style', 'city', 'work', 'docs'] as const;

/** The drawing of the parking sign, 32 by 32. */
export const SIGN =
  '<rect width="32" height="32" rx="7" fill="#0b57a4"/><path d="M12 25V7h6a5.5 5.5 0 0 1 0 11h-6" fill="none" stroke="#fff" stroke-width="4"/>';
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SIGN}</svg>`;
/** The sign as the icon of a page: with no more escapes than an address needs, so that it compresses with the sign itself. */
export const ICON = `data:image/svg+xml,${PICTURE.replaceAll('"', "'").replaceAll(/[<>#]/g, encodeURIComponent)}`;
