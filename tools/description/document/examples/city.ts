// The subjects of the examples. All are in the demonstration of `npm start`, so that you can try each example
// there.

export const TENANT = 'demo';
export const CITY = { code: 'L219', name: 'Torino' } as const;
/** It admits subscriptions, opens 15 minutes early and lets out 20 minutes late. */
export const FACILITY = { code: 'BOLZANO', name: 'Bolzano' } as const;
/** With prepaid sessions alone. */
export const SMALL_FACILITY = { code: 'MADAMA-CRISTINA', name: 'Madama Cristina' } as const;
/** The city above has none. */
export const STREET_CITY = { code: 'L378', name: 'Trento' } as const;
export const STREET = { code: 'CBLU', name: 'Prima corona blu' } as const;
export const SOURCE = { code: 'app', name: 'Parking app' } as const;
/** Parks in the facility, has a subscription, made an objection. */
export const PARKED = 'DE201MO';
export const SUBSCRIBED = 'DE101MO';
export const OBJECTING = 'DE501MO';
/** A plate that may be erased without harm to other examples. */
export const UNKNOWN = 'AB123CD';
