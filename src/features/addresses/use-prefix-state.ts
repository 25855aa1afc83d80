'use client';
import { IPAM_SOURCES, SUBNET_SORTS } from '@/domain/ipam/subnet';
import { useListState } from '../shared/list-state';

const LIST = {
  sorts: SUBNET_SORTS,
  defaultSort: 'cidr',
  filters: { cluster_id: 'id', family: ['4', '6'], source: IPAM_SOURCES },
} as const;

/** Search and filters of the prefixes, in the URL. */
export const usePrefixState = () => useListState(LIST);

export type PrefixListState = ReturnType<typeof usePrefixState>;
