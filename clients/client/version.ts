/** As `package.json` says it: a test compares the two. */
export const VERSION = '0.1.0';
