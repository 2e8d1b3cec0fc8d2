/** Longest tolerance of a facility, in minutes: a day. */
export const MOST_GRACE_MINUTES = 1_440;
/** Longest time for which a gate may rely on its list, in minutes: a week. */
export const MOST_OFFLINE_MINUTES = 10_080;
/** Longest observation of a vehicle, and longest overstay that is tolerated, in minutes. */
export const MOST_OBSERVATION_MINUTES = 60;
export const MOST_OVERSTAY_MINUTES = 120;
export const MOST_PAID_SPANS = 50;
export const MOST_HOLIDAYS = 200;
/** More than any street or facility has: a larger number is a typing error. */
export const MOST_SPACES = 1_000_000;
/** Of those, spaces for disabled drivers, and for charging. */
export const MOST_SPECIAL_SPACES = 100_000;
/** From a sports car to twice a lorry, in centimetres. */
export const LEAST_HEIGHT_CM = 100;
export const MOST_HEIGHT_CM = 1_000;
/** How old the newest success of the sources may be for the public, in minutes: at most a day. */
export const LEAST_PUBLIC_AGE_MINUTES = 5;
export const MOST_PUBLIC_AGE_MINUTES = 1_440;
/** Degrees from the equator to a pole, and from Greenwich halfway round. */
export const MOST_LATITUDE = 90;
export const MOST_LONGITUDE = 180;
/** A source that may be silent for longer than a year is of no use. */
export const MOST_STALE_MINUTES = 525_600;
/** No vehicle parks on a start-and-stop session for longer than a year. */
export const MOST_OPEN_SESSION_HOURS = 8_760;
/** Ten years: longer than any period lasts. */
export const MOST_RENEWAL_DAYS = 3_660;
/** A meter prints an expiry with a year of four digits. */
export const MOST_PLAN_YEARS = 100;
/** Price of a plan, in euro cents. */
export const MOST_CENTS = 999_999;
/** What fits on a meter's line. */
export const MOST_DESCRIPTION = 20;

/** More changes than a database has room for: a larger number is a typing error. */
export const MOST_DAILY_CHANGES = 1_000_000_000;

/** The values of a new item that does not name them. */
export const DEFAULT_COUNTRY = 'IT';
export const DEFAULT_DAILY_CHANGES = 2_000_000;
export const DEFAULT_OFFLINE_MINUTES = 720;
export const DEFAULT_PUBLIC_AGE_MINUTES = 60;
export const DEFAULT_STALE_MINUTES = 15;
export const DEFAULT_OPEN_SESSION_HOURS = 72;

/** More than the largest cities have. Their record, written at each change, still fits into D1's rows. */
export const MOST_AREAS = 5_000;
/** Entries of paid hours of a municipality's areas together: each change of it records them all, each document reads them. */
export const MOST_PAID_SPANS_TOGETHER = 20_000;
export const MOST_SOURCES = 100;
export const MOST_TYPES = 100;
/** Enough for a country of eight thousand municipalities. */
export const MOST_TENANTS = 10_000;
export const MOST_MUNICIPALITIES = 10_000;
/** Of the municipalities that one document names, together: they are read into memory. */
export const MOST_AREAS_READ = 50_000;
/** Changes of one municipality's configuration in a UTC day. Each may record some hundred kilobytes. */
export const MOST_DAILY_CONFIGURATIONS = 500;
