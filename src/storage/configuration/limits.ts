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

export const MAX_AREAS = 2_000;
/** Sources, and types of subscription; plans have codes of three digits. */
export const MAX_OF_OTHER_KINDS = 1_000;
export const MAX_PLANS = 999;
/** Of a municipality as it is answered: a version is one row, and D1 takes 2 MB. */
export const MAX_RECORD_BYTES = 1_048_576;
/** Of one municipality per UTC day, since each stores all of it. */
export const MAX_DAILY_CHANGES = 200;
