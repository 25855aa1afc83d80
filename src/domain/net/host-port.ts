import { formatIp, parseIp } from './ip-address';

/** A host (name in lower case, or canonical address without brackets) and a port, null when none was given. */
export type HostPort = { readonly host: string; readonly port: number | null };

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** The canonical form of a host name or address; null for anything else. Digits-and-dots must be a proper IPv4 address. */
export function normalizeHost(text: string): string | null {
  const ip = parseIp(text);
  if (ip) return formatIp(ip);
  const name = text.toLowerCase().replace(/\.$/, '');
  if (name.length > 253 || /^[0-9.]*$/.test(name)) return null;
  // `0x7f.1` and the like are names to us but addresses to resolvers.
  if (/^0x[0-9a-f]*$/.test(name.split('.').at(-1) ?? '') || /^\d+$/.test(name.split('.').at(-1) ?? '')) return null;
  return name.split('.').every((label) => LABEL.test(label)) ? name : null;
}

/** Parses `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address. Null when it is none of these. */
export function parseHostPort(text: string): HostPort | null {
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(text);
  const plain = bracketed ?? (parseIp(text) ? [text, text, undefined] : /^([^:[\]]+)(?::(\d{1,5}))?$/.exec(text));
  if (!plain) return null;
  const host = normalizeHost(plain[1] ?? '');
  if (host === null || (bracketed && !host.includes(':'))) return null;
  const port = plain[2] === undefined ? null : Number(plain[2]);
  return port === null || (port >= 1 && port <= 65535) ? { host, port } : null;
}

/** `host:port`, IPv6 in brackets. */
export const formatHostPort = (host: string, port: number | null): string => {
  const shown = host.includes(':') ? `[${host}]` : host;
  return port === null ? shown : `${shown}:${port}`;
};
