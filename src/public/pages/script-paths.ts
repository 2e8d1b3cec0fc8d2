/** The script that refreshes a page that shows free spaces. */
export const LIVE_SCRIPT = '/pages/live.js';
/** The script of the control room. */
export const BOARD_SCRIPT = '/pages/board.js';
