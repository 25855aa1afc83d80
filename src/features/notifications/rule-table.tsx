'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { BellRing, Plus } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { CONDITIONS } from '@/domain/notifications/condition';
import { type NotificationRule, RULE_SORTS } from '@/domain/notifications/rule';
import { useT } from '@/lib/i18n/use-t';
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
import { ruleColumns } from './rule-columns';
import { CreateRuleDrawer, EditRuleDrawer } from './rule-drawers';
import { useTenantFacet } from './tenant-facet';

const LIST = {
  sorts: RULE_SORTS,
  defaultSort: 'name',
  filters: { condition: CONDITIONS, tenant_id: 'id_or_none' },
} as const;

/** The rules, with what they do now. A row opens its form. */
export function RuleTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const state = useListState(LIST);
  const tenantFacet = useTenantFacet(state);
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; rule: NotificationRule } | null>(null);
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const test = useRuleTest();
  const columns = useMemo(() => ruleColumns(t), [t]);
  const list = useServerList<NotificationRule>({
    name: 'rules',
    columns,
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
      {t('Create rule')}
    </Button>
  );
  const { condition } = state.filters;
  return (
    <>
      <FilterBar
        search={{ label: t('Search rules'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'condition',
            label: t('Reports'),
            single: true,
            options: CONDITIONS.map((value) => ({ value, label: t(CONDITION_WORDS[value].label) })),
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
        label={t('Rules')}
        noun={{ one: t('rule'), many: t('rules') }}
        rowId={(rule) => rule.id}
        onRowOpen={writeReason === null ? (rule) => setDialog({ kind: 'edit', rule }) : undefined}
        rowActions={(rule) => ({
          name: rule.name,
          entries: [
            {
              id: 'edit',
              label: t('Edit rule'),
              onSelect: () => setDialog({ kind: 'edit', rule }),
              disabledReason: writeReason,
            },
            {
              id: 'test',
              label: t('Send test'),
              onSelect: () => test.mutate({ id: rule.id }),
              disabledReason: writeReason,
            },
            {
              id: 'delete',
              label: t('Delete rule'),
              tone: 'danger',
              onSelect: () => setDialog({ kind: 'delete', rule }),
              disabledReason: writeReason,
            },
          ],
        })}
        empty={
          <EmptyState icon={<BellRing />} title={t('No rules yet')} action={create}>
            {t('A rule says what is reported, after how long, and to whom: under the bell, to a webhook or by e-mail.')}
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
  const t = useT();
  const trpc = useTRPC();
  return useMutation(
    trpc.notificationRules.test.mutationOptions({
      onSuccess: ({ deliveries }) =>
        showToast('ok', {
          title: t('Test sent'),
          description: deliveries > 0 ? t('How it went stands under Deliveries.') : t('Look under the bell.'),
        }),
      onError: (error) => {
        const failure = failureOf(error);
        showToast('danger', { title: t('No test was sent'), description: failure.detail ?? failure.title });
      },
    }),
  );
}

function DeleteRuleDialog({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => void queryClient.invalidateQueries(trpc.notificationRules.pathFilter());
  const remove = useMutation(
    trpc.notificationRules.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: rule.name }) });
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <DeleteDialog
      kind="rule"
      name={rule.name}
      remove={{ ...remove, mutate: () => remove.mutate({ id: rule.id }) }}
      onClose={onClose}
    >
      <p>
        {t('Its incidents go with it{n, plural, =0 {} other {, # of them open}}. What it has told stays in the log.', {
          n: rule.incidents_open,
        })}
      </p>
    </DeleteDialog>
  );
}
