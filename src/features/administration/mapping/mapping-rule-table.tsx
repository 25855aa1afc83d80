'use client';
import { Plus, Split } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { MAPPING_RULE_SORTS, MAPPING_SOURCES, type MappingRule } from '@/domain/mapping-rule';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../../shared/list-state';
import { useClusterOptions } from '../../shared/use-cluster-options';
import { usePermissions } from '../../shared/use-permissions';
import { useServerList } from '../../shared/use-server-list';
import { DeleteMappingRuleDialog } from './delete-mapping-rule-dialog';
import { mappingRuleColumns } from './mapping-rule-columns';
import { MappingRuleDrawer } from './mapping-rule-drawer';
import { ruleName, SOURCE_LABELS } from './rule-words';

const LIST = {
  sorts: MAPPING_RULE_SORTS,
  defaultSort: 'priority',
  filters: { source: MAPPING_SOURCES, cluster_id: 'id' },
} as const;

/** Mapping rules with search and filters, in the order in which they decide. */
export function MappingRuleTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const clusters = useClusterOptions();
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; rule: MappingRule } | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('mapping:write');
  const columns = useMemo(() => mappingRuleColumns(t), [t]);
  const list = useServerList({
    name: 'mapping-rules',
    columns,
    state,
    pathKey: trpc.mappingRules.list.pathKey(),
    fetchPage: (page, signal) => client.mappingRules.list.query({ ...state.input, ...page }, { signal }),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => void setAdding(true)}
      disabledReason={writeReason}
    >
      {t('Create mapping rule')}
    </Button>
  );
  return (
    <>
      <FilterBar
        search={{ label: t('Search mapping rules'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'source',
            label: t('Kind'),
            single: true,
            options: MAPPING_SOURCES.map((value) => ({ value, label: t(SOURCE_LABELS[value]) })),
            value: state.filters.source ? [state.filters.source] : [],
            onValueChange: ([value]) =>
              state.setFilter('source', MAPPING_SOURCES.find((source) => source === value) ?? null),
          },
          {
            id: 'cluster_id',
            label: t('Cluster'),
            single: true,
            options: clusters,
            value: state.filters.cluster_id ? [state.filters.cluster_id] : [],
            onValueChange: ([value]) => state.setFilter('cluster_id', value ?? null),
          },
        ]}
        onClear={state.clear}
      >
        {create}
      </FilterBar>
      <DataTable
        {...list}
        id="mapping-rules"
        label={t('Mapping rules')}
        noun={{ one: t('mapping rule'), many: t('mapping rules') }}
        rowId={(rule) => rule.id}
        onRowOpen={(rule) => writeReason === null && setDialog({ kind: 'edit', rule })}
        rowActions={(rule) => ({
          name: ruleName(t, rule),
          entries: [
            {
              id: 'edit',
              label: t('Edit mapping rule'),
              onSelect: () => setDialog({ kind: 'edit', rule }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete mapping rule'),
              tone: 'danger',
              onSelect: () => setDialog({ kind: 'delete', rule }),
              disabledReason: writeReason,
            },
          ],
        })}
        empty={
          <EmptyState icon={<Split />} title={t('No mapping rules yet')} action={create}>
            {t(
              'Without them every workload is assigned to its project by hand. With a rule the pools and tags of the clusters decide.',
            )}
          </EmptyState>
        }
      />
      {adding && writeReason === null && <MappingRuleDrawer rule={null} onClose={() => void setAdding(null)} />}
      {dialog?.kind === 'edit' && <MappingRuleDrawer rule={dialog.rule} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteMappingRuleDialog rule={dialog.rule} onClose={close} />}
    </>
  );
}
