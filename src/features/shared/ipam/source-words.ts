import type { Subnet } from '@/domain/ipam/subnet';
import { msg } from '@/lib/i18n/translator';

/** Where a network or prefix is known from. */
export const IPAM_SOURCE_WORDS: Record<Subnet['source'], string> = {
  provider: msg('Cluster'),
  discovery: msg('Discovery'),
  manual: msg('By hand'),
};
