import type { Subnet } from '@/domain/ipam/subnet';

/** Where a network or prefix is known from. */
export const IPAM_SOURCE_WORDS: Record<Subnet['source'], string> = {
  provider: 'Cluster',
  discovery: 'Discovery',
  manual: 'By hand',
};
