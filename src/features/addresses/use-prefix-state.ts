'use client';
import { IPAM_SOURCES, SUBNET_SORTS } from '@/domain/ipam/subnet';
import { msg } from '@/lib/i18n/translator';
import { IPAM_SOURCE_WORDS } from '../shared/ipam/source-words';
import { CLUSTER, choice, choiceIn } from '../shared/list/filters';
import { useListState } from '../shared/list-state';

export const PREFIX_FILTERS = {
  cluster_id: CLUSTER,
  family: choiceIn(msg('Family'), ['4', '6'], (_, family) => `IPv${family}`),
  source: choice(msg('Known from'), IPAM_SOURCES, (one) => IPAM_SOURCE_WORDS[one]),
};
const STATE = {
  sorts: SUBNET_SORTS,
  defaultSort: 'cidr',
  filters: { cluster_id: 'id', family: PREFIX_FILTERS.family.spec, source: IPAM_SOURCES },
} as const;

/** Search and filters of the prefixes, in the URL. */
export const usePrefixState = () => useListState(STATE);

export type PrefixListState = ReturnType<typeof usePrefixState>;
