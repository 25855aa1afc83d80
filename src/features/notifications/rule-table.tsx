'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { BellRing, Plus } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { CONDITIONS } from '@/domain/notifications/condition';
import { type NotificationRule, RULE_SORTS } from '@/domain/notifications/rule';
import { failureOf } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { showToast } from '@/ui/toast';
import { useListState } from '../shared/list-state';
import { CONDITION_WORDS } from '../shared/notification-words';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { DeleteDialog } from './delete-dialog';
import { RULE_COLUMNS } from './rule-columns';
import { CreateRuleDrawer, EditRuleDrawer } from './rule-drawers';
import { useTenantFacet } from './tenant-facet';

const LIST = {
  sorts: RULE_SORTS,
  defaultSort: 'name',
  filters: { condition: CONDITIONS, tenant_id: 'id_or_none' },
} as const;
const CONDITION_OPTIONS = CONDITIONS.map((value) => ({ value, label: CONDITION_WORDS[value].label }));

/** The rules, with what they do now. A row opens its form. */
export function RuleTable() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; rule: NotificationRule } | null>(null);
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const test = useRuleTest();
  const list = useServerList<NotificationRule>({
    name: 'rules',
    columns: RULE_COLUMNS,
    state,
    pathKey: trpc.notificationRules.list.pathKey(),
    fetchPage: (page, signal) => client.notificationRules.list.query({ ...state.input, ...page }, { signal }),
  });
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => void setAdding(true)}
      disabledReason={writeReason}
    >
      Create rule
    </Button>
  );
  const { condition } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: 'Search rules', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'condition',
            label: 'Reports',
            single: true,
            options: CONDITION_OPTIONS,
            value: condition === null ? [] : [condition],
            onValueChange: ([value]) => state.setFilter('condition', CONDITIONS.find((one) => one === value) ?? null),
          },
          ...tenantFacet,
        ]}
        onClear={state.clear}
      >
        {create}
      </FilterBar>
      <DataTable
        {...list}
        id="notification-rules"
        label="Rules"
        noun={{ one: 'rule', many: 'rules' }}
        rowId={(rule) => rule.id}
        onRowOpen={writeReason === null ? (rule) => setDialog({ kind: 'edit', rule }) : undefined}
        rowActions={(rule) => ({
          name: rule.name,
          entries: [
            {
              id: 'edit',
              label: 'Edit rule',
              onSelect: () => setDialog({ kind: 'edit', rule }),
              disabledReason: writeReason,
            },
            {
              id: 'test',
              label: 'Send test',
              onSelect: () => test.mutate({ id: rule.id }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: 'Delete rule',
              tone: 'danger',
              onSelect: () => setDialog({ kind: 'delete', rule }),
              disabledReason: writeReason,
            },
          ],
        })}
        empty={
          <EmptyState icon={<BellRing />} title="No rules yet" action={create}>
            A rule says what is reported, after how long, and to whom: under the bell, to a webhook or by e-mail.
          </EmptyState>
        }
      />
      {adding && writeReason === null && <CreateRuleDrawer onClose={() => void setAdding(null)} />}
      {dialog?.kind === 'edit' && <EditRuleDrawer rule={dialog.rule} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'delete' && <DeleteRuleDialog rule={dialog.rule} onClose={() => setDialog(null)} />}
    </>
  );
}

/** Sends a test on every way of a rule and says where to look. */
function useRuleTest() {
  const trpc = useTRPC();
  return useMutation(
    trpc.notificationRules.test.mutationOptions({
      onSuccess: ({ deliveries }) =>
        showToast('ok', {
          title: 'Test sent',
          description: deliveries > 0 ? 'How it went stands under Deliveries.' : 'Look under the bell.',
        }),
      onError: (error) => {
        const failure = failureOf(error);
        showToast('danger', { title: 'No test was sent', description: failure.detail ?? failure.title });
      },
    }),
  );
}

function DeleteRuleDialog({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => void queryClient.invalidateQueries(trpc.notificationRules.pathFilter());
  const remove = useMutation(
    trpc.notificationRules.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: `${rule.name} deleted` });
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <DeleteDialog
      noun="rule"
      name={rule.name}
      remove={{ ...remove, mutate: () => remove.mutate({ id: rule.id }) }}
      onClose={onClose}
    >
      <p>
        Its incidents go with it{rule.incidents_open > 0 ? `, ${rule.incidents_open} of them open` : ''}. What it has
        told stays in the log.
      </p>
    </DeleteDialog>
  );
}
