/** Tolerance of a facility, in minutes: a day. */
export const MAX_GRACE_MINUTES = 1_440;
/** How long a gate may use a list that it cannot renew, in minutes: a week. */
export const MAX_OFFLINE_MINUTES = 10_080;
export const MAX_OBSERVATION_MINUTES = 60;
export const MAX_OVERSTAY_MINUTES = 120;
export const MAX_PAID_SPANS = 50;
export const MAX_HOLIDAYS = 200;
/** A larger number is a typing error. */
export const MAX_SPACES = 1_000_000;
/** Spaces for disabled drivers, or with a charging point. */
export const MAX_SPECIAL_SPACES = 100_000;
/** From a sports car to twice the height of a lorry, in centimetres. */
export const MIN_HEIGHT_CM = 100;
export const MAX_HEIGHT_CM = 1_000;
/** Age of the last successful import up to which the public sees figures, in minutes: at most a day. */
export const MIN_PUBLIC_AGE_MINUTES = 5;
export const MAX_PUBLIC_AGE_MINUTES = 1_440;
export const MAX_LATITUDE = 90;
export const MAX_LONGITUDE = 180;
/** A year. */
export const MAX_STALE_MINUTES = 525_600;
/** A day. */
export const MAX_REPORT_DELAY_MINUTES = 1_440;
/** A year. */
export const MAX_OPEN_SESSION_HOURS = 8_760;
/** Ten years, longer than any period. */
export const MAX_RENEWAL_DAYS = 3_660;
/** A meter prints an expiry with a year of four digits. */
export const MAX_PLAN_YEARS = 100;
export const MAX_CENTS = 999_999;
/** The characters of a meter's line. */
export const MAX_DESCRIPTION = 20;

/** More than the largest cities have. A version of the configuration still fits into D1's rows. */
export const MAX_AREAS = 5_000;
/** For all areas of a municipality: each change of its configuration stores all of them, and each document reads them. */
export const MAX_PAID_SPANS_TOGETHER = 20_000;
export const MAX_SOURCES = 100;
export const MAX_TYPES = 100;
/** Enough for Italy, which has 8,000 municipalities. */
export const MAX_TENANTS = 10_000;
export const MAX_MUNICIPALITIES = 10_000;
/** For all municipalities of one document: their areas are read into memory. */
export const MAX_AREAS_READ = 50_000;
/** Changes of one municipality's configuration per UTC day. Each may store some hundred kilobytes. */
export const MAX_DAILY_CONFIGURATIONS = 500;
