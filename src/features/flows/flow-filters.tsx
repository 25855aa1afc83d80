'use client';
import { FLOW_DECISIONS } from '@/domain/choices';
import { parseEndFilter } from '@/domain/flow/flow-end';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { FilterChip } from '@/ui/facet';
import { FilterBar } from '@/ui/filter-bar';
import { decisionOf } from '../shared/flows/flow-labels';
import { anyOf, entity, type FilterValues, several } from '../shared/list/filters';
import { tenantFilter } from '../shared/list/tenant-filter';
import { useFacets } from '../shared/list/use-facets';
import { useClusterOptions } from '../shared/use-cluster-options';
import { FilterInput } from './filter-input';
import { useEndFacets, useWorkloadName } from './use-end-facets';
import type { FlowView } from './use-flow-view';

const PROTOCOLS = ['tcp', 'udp', 'icmp', 'icmpv6', 'sctp'];

const FILTERS = {
  decision: several(msg('Firewall log'), FLOW_DECISIONS, (one) => decisionOf(one).word),
  protocol: anyOf(msg('Protocol'), PROTOCOLS),
  cluster_id: entity(msg('Cluster'), useClusterOptions, 2),
  tenant_id: tenantFilter('flow:read'),
};

const checkAddress = (t: Translate, text: string) =>
  parseEndFilter(text) ? null : t('Enter an address or prefix such as 10.0.0.0/24, or internal or external.');
const checkPort = (t: Translate, text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? null : t('Enter a port from 0 to 65535.');

/** Filters that come from pressing something, and have no control of their own. */
const ADDRESSES = [
  ['source', msg('From')],
  ['destination', msg('To')],
] as const;
const WORKLOADS = [
  ['source_workload_id', msg('Source workload')],
  ['destination_workload_id', msg('Destination workload')],
] as const;

/** What narrows the flows down. */
export function FlowFilters({ view }: { view: FlowView }) {
  const t = useT();
  const { filter } = view;
  const set = ({ decision, ...values }: Partial<FilterValues<typeof FILTERS>>) =>
    view.narrow({ ...values, ...(decision !== undefined && { decision: decision?.join(',') ?? null }) });
  const facets = useFacets(FILTERS, { filters: filter, setFilters: set });
  const ends = useEndFacets(view);
  return (
    <FilterBar
      search={{ label: t('Search flows'), value: view.q, onValueChange: view.setQ }}
      facets={[...facets.slice(0, 2), ...ends, ...facets.slice(2)]}
      onClear={view.widen}
    >
      {ADDRESSES.map(([name, label]) => {
        const value = filter[name];
        return value ? (
          <FilterChip key={name} label={t(label)} value={value} onRemove={() => view.narrow({ [name]: null })} />
        ) : null;
      })}
      {WORKLOADS.map(([name, label]) => {
        const value = filter[name];
        return value ? (
          <WorkloadChip key={name} label={t(label)} workloadId={value} onRemove={() => view.narrow({ [name]: null })} />
        ) : null;
      })}
      <FilterInput
        label={t('Address or prefix')}
        placeholder={t('Address or prefix')}
        value={filter.address ?? ''}
        check={(text) => checkAddress(t, text)}
        onValueChange={(address) => view.narrow({ address })}
        className="w-52 max-sm:flex-1"
      />
      <FilterInput
        label={t('Port')}
        placeholder={t('Port')}
        inputMode="numeric"
        value={filter.port === undefined ? '' : String(filter.port)}
        check={(text) => checkPort(t, text)}
        onValueChange={(port) => view.narrow({ port })}
        className="w-24"
      />
    </FilterBar>
  );
}

type Props = {
  label: string;
  /** `none`: where no known workload is. */
  workloadId: string;
  onRemove: () => void;
};

/** The filter by the workload at one end, by its name. */
function WorkloadChip({ label, workloadId, onRemove }: Props) {
  const t = useT();
  const known = workloadId !== 'none';
  const { name } = useWorkloadName(known ? workloadId : undefined);
  return <FilterChip label={label} value={known ? (name ?? workloadId) : t('no known workload')} onRemove={onRemove} />;
}
