/**
 * An http or https URL without credentials, as the URL standard reads it (`http://0x7f.1` has the host `127.0.0.1`);
 * null when it is none. A fragment is never sent and therefore left out.
 */
export function parseHttpUrl(text: string): URL | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return null;
  url.hash = '';
  return url;
}
