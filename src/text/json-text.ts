/**
 * The strings of a JSON text, one after the other. In a text that is no JSON, one that is never closed goes on to its end:
 * so no character is looked at twice, whatever was sent.
 */
export const JSON_STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/g;
