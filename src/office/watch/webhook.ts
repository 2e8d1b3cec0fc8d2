import { SECOND_MS } from '../../domain/instant.ts';

/** A receiver that takes longer counts as unreachable. */
const ANSWER_WITHIN_MS = 5 * SECOND_MS;

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];
const SECRET_PREFIX = 'whsec_';

/** Where alerts go, and what signs them. */
export interface Receiver {
  readonly url: string;
  readonly key: Uint8Array<ArrayBuffer>;
}

/** The receiver of `ALERT_URL` and `ALERT_SECRET`; null where they are not set, or not usable. */
export function receiverOf(url: string | undefined, secret: string | undefined): Receiver | null {
  const target = URL.parse(url ?? '');
  const key = keyOf(secret ?? '');
  if (target === null || key === null) return null;
  const isSafe =
    target.protocol === 'https:' || (target.protocol === 'http:' && LOCAL.includes(target.hostname));
  return isSafe ? { url: target.href, key } : null;
}

/** The key of a secret; null for one that is not `whsec_` and base64 of at least a byte. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> | null {
  if (!secret.startsWith(SECRET_PREFIX)) return null;
  try {
    const key = Uint8Array.fromBase64(secret.slice(SECRET_PREFIX.length));
    return key.length > 0 ? key : null;
  } catch {
    return null;
  }
}

/** The signature of a message, as Standard Webhooks has it. */
async function signatureOf(
  key: Uint8Array<ArrayBuffer>,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): Promise<string> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  const signed = await crypto.subtle.sign(
    'HMAC',
    imported,
    new TextEncoder().encode(`${id}.${timestamp}.${body}`),
  );
  return `v1,${new Uint8Array(signed).toBase64()}`;
}

/**
 * Sends a message, by the rules of Standard Webhooks: https://www.standardwebhooks.com
 *
 * @throws Error where the receiver does not accept it: it redirects, hangs, or answers anything but a success
 */
export async function sendWebhook(
  receiver: Receiver,
  id: string,
  timestampMs: number,
  body: string,
): Promise<void> {
  const timestamp = Math.floor(timestampMs / SECOND_MS);
  const response = await fetch(receiver.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': await signatureOf(receiver.key, { id, timestamp, body }),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  // The body of its answer is not read: it may be endless.
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver of alerts answered ${response.status}`);
}
