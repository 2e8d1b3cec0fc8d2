import { sha256Hex } from '../../base/crypto/digest.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { sideBySide } from '../../storage/databases/side-by-side.ts';
import { packAlerts, readAlertText, unpackAlerts, writeAlertText } from './alert-store.ts';
import { conditionsOf, undecidedAlerts } from './conditions.ts';
import { listUnsent, messageOf, type OpenAlert, openAlerts, withSent, withTried } from './decide-alerts.ts';
import { findStatus } from './find-status.ts';
import { type Receiver, receiverOf, sendWebhook } from './webhook.ts';

/** In one minute; the next one sends the rest. */
const MAX_MESSAGES = 12;
const STATUS_MS = 10 * SECOND_MS;
const ID_DIGITS = 32;

/**
 * Sends alerts that begin and end to the receiver, if one is set. It cannot harm the minute's run: it ends
 * within seconds and never throws.
 */
export async function runAlerts(env: Env, now: Instant): Promise<void> {
  const receiver = receiverOf(env.ALERT_URL, env.ALERT_SECRET);
  if (receiver === null) return;
  try {
    await sendAlerts(env, receiver, now);
  } catch (error) {
    logEvent('warn', 'alerts_failed', { message: errorMessage(error) });
  }
}

async function sendAlerts(env: Env, receiver: Receiver, now: Instant): Promise<void> {
  const [status, text] = await withTimeout(
    STATUS_MS,
    Promise.all([findStatus(env, now), readAlertText(env.SNAPSHOTS)]),
  );
  const alerts = openAlerts(unpackAlerts(text), conditionsOf(status, now), now, undecidedAlerts(status));
  const messages = listUnsent(alerts, MAX_MESSAGES);
  const outcomes = await sideBySide(messages, ([key, open]) => send(receiver, key, open, now));
  const taken = new Set<string>();
  for (const [index, outcome] of outcomes.entries()) {
    const [key, { alert }] = messages[index] ?? ['', { alert: '' }];
    if (outcome.status === 'fulfilled') taken.add(key);
    else logEvent('warn', 'alert_not_taken', { alert, message: errorMessage(outcome.reason) });
  }
  const tried = withTried(alerts, new Set(messages.map(([key]) => key)));
  const packed = packAlerts(withSent(tried, taken, now));
  // KV takes few writes of a key, and most minutes change nothing.
  if (packed !== (text ?? packAlerts(new Map()))) await writeAlertText(env.SNAPSHOTS, packed);
}

async function send(receiver: Receiver, key: string, open: OpenAlert, now: Instant): Promise<void> {
  const { alert, about, phase, since } = open;
  const timestamp = new Date(since).toISOString();
  const id = `msg_${(await sha256Hex(messageOf(key, open))).slice(0, ID_DIGITS)}`;
  const body = JSON.stringify({ type: `${alert}.${phase}`, timestamp, data: about });
  await sendWebhook(receiver, id, now, body);
}
