/**
 * The path to return to after signing in, or null. Only a path of this origin: anything that a browser could read as
 * another address (scheme, `//host`, backslashes, control characters) is refused.
 */
export function safeReturnPath(value: string | null | undefined): string | null {
  if (!value || value.length > 2000 || !value.startsWith('/')) return null;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers strip some of them, which would change the meaning
  if (/[\\\u0000-\u001f\u007f]/.test(value)) return null;
  const base = 'https://origin.invalid';
  let url: URL;
  try {
    url = new URL(value, base);
  } catch {
    return null;
  }
  if (url.origin !== base || url.pathname.startsWith('//')) return null;
  // Returning to the sign-in page would be a loop; the API is no page.
  if (/^\/(login|setup|api)(\/|$)/.test(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}
