'use client';
import { useMutation } from '@tanstack/react-query';
import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { RULE_SORTS } from '@/domain/choices';
import { CONDITIONS } from '@/domain/notifications/condition';
import type { NotificationRule } from '@/domain/notifications/rule';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { loadOnOpening } from '@/ui/load-on-opening';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../shared/delete-dialog';
import { declareList } from '../shared/list/declare-list';
import { choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { tenantOrNoneFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { CONDITION_LABELS } from '../shared/notification-labels';
import { usePermissions } from '../shared/use-permissions';
import { useAdding } from '../shared/use-url-state';
import { ruleColumns } from './rule-columns';

const CreateRuleDrawer = loadOnOpening(() => import('./rule-drawers').then((module) => module.CreateRuleDrawer));
const EditRuleDrawer = loadOnOpening(() => import('./rule-drawers').then((module) => module.EditRuleDrawer));

const RULES = declareList({
  from: 'notificationRules.list',
  name: 'rules',
  id: 'notification-rules',
  label: msg('Rules'),
  noun: { one: msg('rule'), many: msg('rules') },
  search: msg('Search rules'),
  sorts: RULE_SORTS,
  defaultSort: 'name',
  filters: {
    condition: choice(msg('Conditions'), CONDITIONS, (one) => CONDITION_LABELS[one].label),
    tenant_id: tenantOrNoneFilter('notification:read'),
  },
  columns: ruleColumns,
  rowId: (rule) => rule.id,
  add: { label: msg('Create rule'), permission: 'notification:write' },
  empty: {
    icon: <BellRing />,
    title: msg('No rules yet'),
    text: msg('A rule defines what is reported, after how long and where: in the bell menu, by webhook or by email.'),
  },
});

/** The rules, with what they do now. A row opens its form. */
export function RuleTable() {
  const t = useT();
  const { reason } = usePermissions();
  const writeReason = reason('notification:write');
  const [dialog, setDialog] = useState<{ kind: 'edit' | 'delete'; rule: NotificationRule } | null>(null);
  const [adding, setAdding] = useAdding('notification:write');
  const test = useRuleTest();
  const list = useList(RULES);
  return (
    <>
      <ListView
        of={list}
        onAdd={() => setAdding(true)}
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
      />
      {adding && <CreateRuleDrawer onClose={() => setAdding(false)} />}
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
          description: deliveries > 0 ? t('See the result under Deliveries.') : t('See the result in the bell menu.'),
        }),
      onError: (error) => {
        const failure = toFailure(error);
        showToast('danger', { title: t('Could not send test'), description: failure.detail ?? failure.title });
      },
    }),
  );
}

function DeleteRuleDialog({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete rule {name}?', { name: rule.name })}
      confirmLabel={t('Delete rule')}
      name={rule.name}
      remove={() => client.notificationRules.delete.mutate({ id: rule.id })}
      outdated={[trpc.notificationRules.pathFilter()]}
      onClose={onClose}
    >
      <p>
        {t(
          'Deletes the incidents of this rule{n, plural, =0 {} other {, # of them open}}. Deliveries stay in the log.',
          {
            n: rule.incidents_open,
          },
        )}
      </p>
    </DeleteDialog>
  );
}
