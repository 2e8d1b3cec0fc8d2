/** Longest tolerance of a facility, in minutes: a day. */
export const MAX_GRACE_MINUTES = 1_440;
/** Longest time for which a gate may rely on its list, in minutes: a week. */
export const MAX_OFFLINE_MINUTES = 10_080;
/** Longest observation of a vehicle, and longest overstay that is tolerated, in minutes. */
export const MAX_OBSERVATION_MINUTES = 60;
export const MAX_OVERSTAY_MINUTES = 120;
export const MAX_PAID_SPANS = 50;
export const MAX_HOLIDAYS = 200;
/** More than any street or facility has: a larger number is a typing error. */
export const MAX_SPACES = 1_000_000;
/** Of those, spaces for disabled drivers, and for charging. */
export const MAX_SPECIAL_SPACES = 100_000;
/** From a sports car to twice a lorry, in centimetres. */
export const MIN_HEIGHT_CM = 100;
export const MAX_HEIGHT_CM = 1_000;
/** How old the newest success of the sources may be for the public, in minutes: at most a day. */
export const MIN_PUBLIC_AGE_MINUTES = 5;
export const MAX_PUBLIC_AGE_MINUTES = 1_440;
/** Degrees from the equator to a pole, and from Greenwich halfway round. */
export const MAX_LATITUDE = 90;
export const MAX_LONGITUDE = 180;
/** A source that may be silent for longer than a year is of no use. */
export const MAX_STALE_MINUTES = 525_600;
/** No vehicle parks on a start-and-stop session for longer than a year. */
export const MAX_OPEN_SESSION_HOURS = 8_760;
/** Ten years: longer than any period lasts. */
export const MAX_RENEWAL_DAYS = 3_660;
/** A meter prints an expiry with a year of four digits. */
export const MAX_PLAN_YEARS = 100;
/** Price of a plan, in euro cents. */
export const MAX_CENTS = 999_999;
/** What fits on a meter's line. */
export const MAX_DESCRIPTION = 20;

/** More changes than a database has room for: a larger number is a typing error. */
export const MAX_DAILY_CHANGES = 1_000_000_000;

/** More than the largest cities have. Their record, written at each change, still fits into D1's rows. */
export const MAX_AREAS = 5_000;
/** Entries of paid hours of a municipality's areas together: each change of it records them all, each document reads them. */
export const MAX_PAID_SPANS_TOGETHER = 20_000;
export const MAX_SOURCES = 100;
export const MAX_TYPES = 100;
/** Enough for a country of eight thousand municipalities. */
export const MAX_TENANTS = 10_000;
export const MAX_MUNICIPALITIES = 10_000;
/** Of the municipalities that one document names, together: they are read into memory. */
export const MAX_AREAS_READ = 50_000;
/** Changes of one municipality's configuration in a UTC day. Each may record some hundred kilobytes. */
export const MAX_DAILY_CONFIGURATIONS = 500;
