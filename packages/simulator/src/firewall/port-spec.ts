import { ICMP_TYPES, ICMPV6_TYPES, isProtocol, SERVICE_NAMES } from './vocabulary';

/** The complaint about a port list, or undefined. A destination may name an ICMP type instead (a legacy form). */
export function portError(text: string, isDestination: boolean): string | undefined {
  if (text === '') return undefined;
  const items = text.split(',');
  while (items.length > 0 && items[items.length - 1] === '') items.pop();
  if (items.join(',') !== text) return 'extraneous commas in list';
  let numbers = 0;
  let icmp = false;
  for (const item of items) {
    const range = /^(\d+):(\d+)$/.exec(item);
    if (range) {
      numbers += 2;
      const [low, high] = [Number(range[1]), Number(range[2])];
      const wrong = [low, high].find((port) => port > 65535);
      if (wrong !== undefined) return `invalid port '${wrong}'`;
      if (low > high) return `backwards range '${item}' not allowed, did you mean '${range[2]}:${range[1]}'?`;
    } else if (/^\d+$/.test(item)) {
      numbers++;
      if (Number(item) > 65535) return `invalid port '${item}'`;
    } else if (isDestination && (ICMP_TYPES.has(item) || ICMPV6_TYPES.has(item))) {
      icmp = true;
    } else if (!SERVICE_NAMES.has(item)) {
      return `invalid port '${item}'`;
    }
  }
  if (icmp && numbers > 0) return 'ICMP ports not allowed in port range';
  if (numbers > 15) return 'too many entries in port list (> 15 numbers)';
  return undefined;
}

export const destinationPortFormat = (value: string): string | undefined => portError(value, true);
export const sourcePortFormat = (value: string): string | undefined => portError(value, false);

export const protocolFormat = (value: string): string | undefined =>
  value === '' || isProtocol(value) ? undefined : `unknown protocol '${value}'`;

export const icmpTypeFormat = (value: string): string | undefined =>
  value === '' || ICMP_TYPES.has(value) || ICMPV6_TYPES.has(value) ? undefined : `invalid icmp-type '${value}'`;
