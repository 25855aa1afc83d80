import { formatHostPort, parseHostPort } from './host-port';

/** Where a hypervisor's API listens. */
export type ApiUrl = { readonly host: string; readonly port: number; readonly url: string };

/** The port of the Proxmox VE API. */
const DEFAULT_PORT = 8006;

/**
 * Parses the address an administrator gives: `https://host[:port]`, with or without a trailing slash or the
 * `/api2/json` that documentation shows. Without a port it is 8006, not 443: that is where the API listens.
 * Returns the reason as a sentence when it cannot be used.
 */
export function parseApiUrl(text: string): ApiUrl | { readonly reason: string } {
  const match = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#\\\s]+)(\/[^?#\s]*)?$/i.exec(text.trim());
  if (!match) return { reason: 'Enter an address such as https://pve1.example.org:8006, without query or fragment' };
  const [, scheme = 'https', authority = '', path = ''] = match;
  if (scheme.toLowerCase() !== 'https') return { reason: `The API uses https only, not ${scheme.toLowerCase()}` };
  if (authority.includes('@'))
    return { reason: 'Remove the user name and password from the address; use an API token' };
  if (!/^\/*(api2(\/(json\/?)?)?)?$/.test(path))
    return { reason: `Remove the path ${path}; proxies with a path prefix are not supported` };
  const target = parseHostPort(authority);
  if (!target) return { reason: `${authority} is not a host name or address with an optional port` };
  const port = target.port ?? DEFAULT_PORT;
  return { host: target.host, port, url: `https://${formatHostPort(target.host, port)}` };
}

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
