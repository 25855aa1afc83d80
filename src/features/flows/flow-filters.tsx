'use client';
import { FLOW_DECISIONS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { addressFilter, PORT_FILTER, PROTOCOL_FILTER } from '../shared/flows/flow-filter-fields';
import { getDecisionLabel } from '../shared/flows/flow-labels';
import { entity, type FilterValues, named, searched, several } from '../shared/list/filters';
import { NODE, WORKLOAD } from '../shared/list/sources';
import { tenantFilter } from '../shared/list/tenant-filter';
import { useFilterFields } from '../shared/list/use-filter-fields';
import { useClusterOptions } from '../shared/use-cluster-options';
import { ViewsButton } from '../shared/views/views-button';
import { FilterInput } from './filter-text/filter-input';
import type { FlowView } from './use-flow-view';

const FILTERS = {
  workload_id: searched(msg('Workload'), 'id', WORKLOAD),
  address: addressFilter(msg('Address')),
  port: PORT_FILTER,
  protocol: PROTOCOL_FILTER,
  decision: several(msg('Firewall log'), FLOW_DECISIONS, (one) => getDecisionLabel(one).word),
  conversation_id: named(msg('Conversation'), [], (t) => t('one conversation')),
  source_workload_id: searched(msg('Source workload'), 'id_or_none', WORKLOAD, msg('no known workload')),
  destination_workload_id: searched(msg('Destination workload'), 'id_or_none', WORKLOAD, msg('no known workload')),
  source: addressFilter(msg('From')),
  destination: addressFilter(msg('To')),
  node_id: searched(msg('Node'), 'id', NODE),
  cluster_id: entity(msg('Cluster'), useClusterOptions, 2),
  tenant_id: tenantFilter('flow:read'),
};

/** The filters of flows as fields, each in the URL by itself. */
export function useFlowFields(view: FlowView) {
  const { port, ...filter } = view.filter;
  const set = ({ decision, ...values }: Partial<FilterValues<typeof FILTERS>>) =>
    view.narrow({ ...values, ...(decision !== undefined && { decision: decision?.join(',') ?? null }) });
  return useFilterFields(FILTERS, {
    filters: { ...filter, port: port === undefined ? null : String(port) },
    setFilters: set,
  });
}

/** What narrows the flows down, besides the text that conversations have, too. */
export function FlowFilters({ view }: { view: FlowView }) {
  const t = useT();
  const fields = useFlowFields(view);
  const text = view.filters.filter ?? '';
  return (
    <div className="flex flex-col gap-2">
      {text !== '' && <FilterInput value={text} onValueChange={(next) => view.setFilter('filter', next || null)} />}
      <FilterBar
        search={{ label: t('Search flows'), value: view.q, onValueChange: view.setQ }}
        fields={fields}
        common={['workload_id', 'address', 'port', 'decision']}
        onClear={view.widen}
        views={<ViewsButton />}
      />
    </div>
  );
}
