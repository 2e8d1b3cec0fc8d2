/** Put in by the bundler: the version of the package. */
declare const PARKING_VERSION: string;

export const VERSION: string = PARKING_VERSION;
