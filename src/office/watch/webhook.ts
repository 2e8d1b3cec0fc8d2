import { Webhook } from 'standardwebhooks';
import { SECOND_MS } from '../../domain/instant.ts';

/** A receiver that takes longer counts as unreachable. */
const ANSWER_WITHIN_MS = 5 * SECOND_MS;

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** Where alerts go, and what signs them. */
export interface Receiver {
  readonly url: string;
  readonly signer: Webhook;
}

/** The receiver of `ALERT_URL` and `ALERT_SECRET`; null where one of them is not set, or not usable. */
export function receiverOf(url: string | undefined, secret: string | undefined): Receiver | null {
  const target = URL.parse(url ?? '');
  const isSafe =
    target?.protocol === 'https:' || (target?.protocol === 'http:' && LOCAL.includes(target.hostname));
  // The library takes a secret without its prefix too.
  if (target === null || !isSafe || !secret?.startsWith('whsec_')) return null;
  try {
    return { url: target.href, signer: new Webhook(secret) };
  } catch {
    return null;
  }
}

/**
 * Sends a message, by the rules of Standard Webhooks: https://www.standardwebhooks.com
 *
 * @throws Error where the receiver does not accept it: it redirects, hangs, or answers anything but a success
 */
export async function sendWebhook(
  { url, signer }: Receiver,
  id: string,
  timestampMs: number,
  body: string,
): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(timestampMs / SECOND_MS)),
      'webhook-signature': signer.sign(id, new Date(timestampMs), body),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  // The body of its answer is not read: it may be endless.
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver of alerts answered ${response.status}`);
}
