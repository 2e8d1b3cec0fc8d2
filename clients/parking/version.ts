/** Put in by the bundler: the version of the package. */
declare const PARKING_VERSION: string | undefined;

/** Of the package; `source` where nothing was bundled. */
export const VERSION: string = typeof PARKING_VERSION === 'undefined' ? 'source' : PARKING_VERSION;
