import { ICMP, ICMPV6 } from './data/protocols';

/** ICMP that is accepted before anything else, by family. */
export const VITAL = {
  4: { protocol: ICMP, types: [3, 4, 11] },
  6: { protocol: ICMPV6, types: [1, 2, 3, 4] },
} as const;

/** Types of neighbor discovery that the option `ndp` is about. */
export const NDP_TYPES = { in: [133, 134, 135, 136, 137], out: [133, 135, 136] } as const;

/** Whether the type is one of those: yes, no, or not known. */
export const hasType = (type: number | undefined, types: readonly number[]): 'yes' | 'no' | 'unknown' =>
  type === undefined ? 'unknown' : types.includes(type) ? 'yes' : 'no';
