/** A request id as the call log has it: its 16 bytes. */
export const idOf = (requestId: string): Uint8Array => Uint8Array.fromHex(requestId.replaceAll('-', ''));
