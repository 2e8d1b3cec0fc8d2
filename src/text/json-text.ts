/**
 * The strings of a JSON text, one after the other. In text that is not JSON an unclosed string goes on to the end, so that
 * no character is looked at twice, whatever was sent.
 */
export const JSON_STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/g;
