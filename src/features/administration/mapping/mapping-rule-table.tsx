'use client';
import { Split } from 'lucide-react';
import { useState } from 'react';
import { MAPPING_RULE_SORTS, MAPPING_SOURCES } from '@/domain/choices';
import type { MappingRule } from '@/domain/mapping-rule';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../../shared/list/declare-list';
import { CLUSTER, choice } from '../../shared/list/filters';
import { ListView } from '../../shared/list/list-view';
import { useList } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { useAdding } from '../../shared/use-url-state';
import { DeleteMappingRuleDialog } from './delete-mapping-rule-dialog';
import { ruleName, SOURCE_LABELS } from './mapping-labels';
import { mappingRuleColumns } from './mapping-rule-columns';

const MappingRuleDrawer = loadOnOpening(
  () => import('./mapping-rule-drawer').then((module) => module.MappingRuleDrawer),
  () => true,
);

const MAPPING_RULES = declareList({
  from: 'mappingRules.list',
  name: 'mapping-rules',
  label: msg('Mapping rules'),
  noun: { one: msg('mapping rule'), many: msg('mapping rules') },
  search: msg('Search mapping rules'),
  sorts: MAPPING_RULE_SORTS,
  defaultSort: 'priority',
  filters: {
    source: choice(msg('Kind'), MAPPING_SOURCES, (one) => SOURCE_LABELS[one]),
    cluster_id: CLUSTER,
  },
  columns: mappingRuleColumns,
  rowId: (rule) => rule.id,
  add: { label: msg('Create mapping rule'), permission: 'mapping:write' },
  empty: {
    icon: <Split />,
    title: msg('No mapping rules yet'),
    text: msg(
      'Without mapping rules, workloads are assigned to projects manually. Create a rule to assign workloads by pool or tag.',
    ),
  },
});

/** Mapping rules with search and filters, in the order in which they decide. */
export function MappingRuleTable() {
  const t = useT();
  const { reason } = usePermissions();
  const [adding, setAdding] = useAdding('mapping:write');
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; rule: MappingRule } | null>(null);
  const close = () => setDialog(null);
  const writeReason = reason('mapping:write');
  const list = useList(MAPPING_RULES);
  return (
    <>
      <ListView
        of={list}
        onAdd={() => setAdding(true)}
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
      />
      {adding && <MappingRuleDrawer rule={null} onClose={() => setAdding(false)} />}
      {dialog?.kind === 'edit' && <MappingRuleDrawer rule={dialog.rule} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteMappingRuleDialog rule={dialog.rule} onClose={close} />}
    </>
  );
}
