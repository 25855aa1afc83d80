'use client';
import { useMutation } from '@tanstack/react-query';
import { type NotificationRule, NotificationRuleInput, NotificationRuleUpdate } from '@/domain/notifications/rule';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { useSaved, useVersioned } from '../shared/record-cache';
import { RecordDrawer } from '../shared/record-drawer';
import { useTenantOptions } from '../shared/tenant-options';
import { VersionedDrawer } from '../shared/versioned-form';
import { RuleFields } from './rule-fields';
import { EMPTY_RULE, toRuleInput, toRuleUpdate, toRuleValues } from './rule-form-values';

/** Makes a rule. Mount it when it opens. */
export function CreateRuleDrawer({ onClose }: { onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const done = useSaved(onClose);
  const tenants = useTenantOptions('notification:write');
  const save = useMutation(
    trpc.notificationRules.create.mutationOptions({
      onSuccess: (rule) => done(t('{name} created', { name: rule.name }), trpc.notificationRules.pathFilter()),
    }),
  );
  return (
    <RecordDrawer
      title={t('Create rule')}
      description={t('Rule conditions are evaluated once a minute from now on.')}
      defaultValues={{ ...EMPTY_RULE, tenant_id: tenants[0]?.value ?? null }}
      schema={NotificationRuleInput}
      toInput={toRuleInput}
      save={save}
      submitLabel={t('Create rule')}
      onClose={onClose}
    >
      {(control) => <RuleFields control={control} tenants={tenants} />}
    </RecordDrawer>
  );
}

/** Changes a rule. Mount it when it opens. */
export function EditRuleDrawer({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.notificationRules.get.queryOptions({ id: rule.id }),
    saved: () => t('Rule saved'),
    outdated: [trpc.notificationRules.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: rule.name })}
      description={t('Open incidents outside the changed scope or conditions close without a notification.')}
      opened={rule}
      {...stored}
      schema={NotificationRuleUpdate}
      toValues={toRuleValues}
      toInput={toRuleUpdate}
      save={(input) => client.notificationRules.update.mutate({ id: rule.id, ...input })}
      submitLabel={t('Save rule')}
    >
      {({ control }) => <RuleFields control={control} />}
    </VersionedDrawer>
  );
}
