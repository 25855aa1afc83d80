'use client';
import { parseEndFilter } from '@/domain/flow/end-filter';
import { optionsIn } from '@/lib/i18n/options-in';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { FilterChip } from '../shared/filter-chip';
import { DECISION_OPTIONS } from '../shared/flows/flow-words';
import { NO_TENANT } from '../shared/tenant-options';
import { useClusterOptions } from '../shared/use-cluster-options';
import { useTenantOptions } from '../shared/use-tenant-options';
import { FilterInput } from './filter-input';
import { useEndFacets } from './use-end-facets';
import type { FlowView } from './use-flow-view';
import { WorkloadChip } from './workload-chip';

const PROTOCOLS = ['tcp', 'udp', 'icmp', 'icmpv6', 'sctp'].map((value) => ({ value, label: value }));

const checkAddress = (t: Translate, text: string) =>
  parseEndFilter(text) ? null : t('An address or CIDR such as 10.0.0.0/24, internal or external.');
const checkPort = (t: Translate, text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535 ? null : t('A port, 0 to 65535.');

/** Filters that come from pressing something, and have no control of their own. */
const ADDRESSES = [
  ['source', msg('From')],
  ['destination', msg('To')],
] as const;
const WORKLOADS = [
  ['source_workload_id', msg('From workload')],
  ['destination_workload_id', msg('To workload')],
] as const;

/** What narrows the flows down. */
export function FlowFilters({ view }: { view: FlowView }) {
  const t = useT();
  const { filter } = view;
  const clusters = useClusterOptions();
  const tenants = useTenantOptions('flow:read').filter(({ value }) => value !== NO_TENANT);
  const ends = useEndFacets(view);
  const protocols =
    filter.protocol && !PROTOCOLS.some(({ value }) => value === filter.protocol)
      ? [...PROTOCOLS, { value: filter.protocol, label: filter.protocol }]
      : PROTOCOLS;
  return (
    <FilterBar
      search={{ label: t('Search flows'), value: view.q, onValueChange: view.setQ }}
      facets={[
        {
          id: 'decision',
          label: t('Decision'),
          options: optionsIn(t, DECISION_OPTIONS),
          value: filter.decision ?? [],
          onValueChange: (values) => view.narrow({ decision: values.join(',') || null }),
        },
        {
          id: 'protocol',
          label: t('Protocol'),
          single: true,
          options: protocols,
          value: filter.protocol ? [filter.protocol] : [],
          onValueChange: ([value]) => view.narrow({ protocol: value ?? null }),
        },
        ...ends,
        ...(clusters.length > 1 || filter.cluster_id
          ? [
              {
                id: 'cluster_id',
                label: t('Cluster'),
                single: true,
                options: clusters,
                value: filter.cluster_id ? [filter.cluster_id] : [],
                onValueChange: ([value]: string[]) => view.narrow({ cluster_id: value ?? null }),
              },
            ]
          : []),
        ...(tenants.length > 0
          ? [
              {
                id: 'tenant_id',
                label: t('Tenant'),
                single: true,
                options: tenants,
                value: filter.tenant_id ? [filter.tenant_id] : [],
                onValueChange: ([value]: string[]) => view.narrow({ tenant_id: value ?? null }),
              },
            ]
          : []),
      ]}
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
        label={t('Address or CIDR')}
        placeholder={t('Address or CIDR')}
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
