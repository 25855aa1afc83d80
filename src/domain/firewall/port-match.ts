import type { PortRange } from '../net/port-range';
import { servicePort } from './data/services';

/** Ports of a rule. `rest` says what holds for ports outside: a service name of unknown number makes them unknown. */
export type PortSet = { readonly ranges: readonly PortRange[]; readonly rest: 'no' | 'unknown' };

function parseItem(text: string): PortRange | null {
  const ends = text.split(':').map((end) => {
    if (/^(0|[1-9]\d{0,4})$/.test(end)) return Number(end) <= 65535 ? Number(end) : null;
    return servicePort(end);
  });
  const [first, last = first] = ends;
  return ends.length <= 2 && first != null && last != null && first <= last ? { first, last } : null;
}

/** Ports of `dport` or `sport` of a live rule; null when it does not limit ports (absent, or the text `0`, which the hypervisor ignores). */
export function parseLivePorts(text: string | undefined): PortSet | null {
  if (text === undefined || text === '' || text === '0') return null;
  const items = text.split(',').map(parseItem);
  // What is filtered keeps room for more, several times what it holds: of each of very many rules.
  if (items.every((item) => item !== null)) return { ranges: items, rest: 'no' };
  return { ranges: items.filter((item) => item !== null), rest: 'unknown' };
}

export function portSetHas(set: PortSet, port: number): 'yes' | 'no' | 'unknown' {
  for (const { first, last } of set.ranges) if (first <= port && port <= last) return 'yes';
  return set.rest;
}
