import { z } from 'zod';
import { formatCidr, networkOf, parseCidr } from '../net/cidr';
import { unmapIp } from '../net/ip-address';

/** One or both ends of a flow: an address, a network, or all addresses inside or outside the known subnets. */
export type EndFilter = { kind: 'internal' | 'external' } | { kind: 'network'; cidr: string };

const MESSAGE = 'An address, a CIDR such as 10.0.0.0/24, internal or external.';

/** Reads `10.0.0.5`, `10.0.0.0/24` (host bits are cleared), `internal` or `external`; null for anything else. */
export function parseEndFilter(text: string): EndFilter | null {
  if (text === 'internal' || text === 'external') return { kind: text };
  const parsed = parseCidr(text);
  if (!parsed) return null;
  const address = parsed.prefix === 128 ? unmapIp(parsed.address) : parsed.address;
  return {
    kind: 'network',
    cidr: formatCidr(
      networkOf({ address, prefix: address.family === 4 ? Math.min(parsed.prefix, 32) : parsed.prefix }),
    ),
  };
}

export const EndFilterText = z
  .string()
  .trim()
  .max(64, MESSAGE)
  .refine((text) => parseEndFilter(text) !== null, MESSAGE);
