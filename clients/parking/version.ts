/** Put in by the bundler: the version of the package. */
declare const PARKING_VERSION: string | undefined;

/** The package's version; `source` if it runs unbundled. */
export const VERSION: string = typeof PARKING_VERSION === 'undefined' ? 'source' : PARKING_VERSION;
