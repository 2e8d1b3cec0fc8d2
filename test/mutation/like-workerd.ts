import { timingSafeEqual } from 'node:crypto';

// Workers have it beside the standard's own functions; Node has the same one elsewhere.
Object.assign(crypto.subtle, { timingSafeEqual });
