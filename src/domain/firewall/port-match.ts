import type { PortRange } from '../net/port-range';
import { servicePort } from './data/services';
import type { FilterImplementation } from './live-state';

/** Ports of a rule. `rest` says what holds for ports outside: a service name of unknown number makes them unknown. */
export type PortSet = { readonly ranges: readonly PortRange[]; readonly rest: 'no' | 'unknown' };

const PORT = /^(0|[1-9]\d{0,4})$/;

function parsePort(text: string, implementation: FilterImplementation): number | null {
  if (!PORT.test(text)) return servicePort(text, implementation);
  const port = Number(text);
  return port <= 65535 ? port : null;
}

function parseItem(text: string, implementation: FilterImplementation): PortRange | null {
  const colon = text.indexOf(':');
  const first = parsePort(colon < 0 ? text : text.slice(0, colon), implementation);
  const last = colon < 0 ? first : parsePort(text.slice(colon + 1), implementation);
  return first !== null && last !== null && first <= last ? { first, last } : null;
}

/** Ports of `dport` or `sport` of a live rule; null when it does not limit ports (absent, or the text `0`, which the hypervisor ignores). */
export function parseLivePorts(
  text: string | undefined,
  implementation: FilterImplementation = 'iptables',
): PortSet | null {
  if (text === undefined || text === '' || text === '0') return null;
  const items = text.split(',').map((item) => parseItem(item, implementation));
  // What is filtered keeps room for more, several times what it holds: of each of very many rules.
  if (items.every((item) => item !== null)) return { ranges: items, rest: 'no' };
  return { ranges: items.filter((item) => item !== null), rest: 'unknown' };
}

export function portSetHas(set: PortSet, port: number): 'yes' | 'no' | 'unknown' {
  for (const { first, last } of set.ranges) if (first <= port && port <= last) return 'yes';
  return set.rest;
}
