/** The languages in which the service speaks to people. */
export type Language = 'en' | 'it';

/** A text for people, in each language of the service. */
export type Text = Readonly<Record<Language, string>>;
