const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * A bar of this width.
 *
 * @param share 0 to 1; what lies outside counts as the nearer end
 */
export function barOf(share: number, width: number): string {
  const filled = Math.min(1, Math.max(0, Number.isNaN(share) ? 0 : share)) * width;
  const whole = Math.floor(filled);
  const part = EIGHTHS[Math.floor((filled - whole) * 8)] ?? '';
  return `${'█'.repeat(whole)}${part}`.padEnd(width, '·');
}
