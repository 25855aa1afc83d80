/** Percent-decoding that leaves malformed escapes as they are, like the server does. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
