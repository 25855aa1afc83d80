'use client';
import { type SecurityGroup, SecurityGroupUpdate } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { useVersioned } from '../shared/record-cache';
import { VersionedDrawer } from '../shared/versioned-form';
import { GroupFields, groupFieldName } from './group-fields';
import { toGroupUpdate, toGroupValues } from './group-form-values';

/** Changes name, description and tag rule. Mount it when it opens: what it read then guards against the changes of others. */
export function EditGroupDrawer({ group, onClose }: { group: SecurityGroup; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.securityGroups.get.queryOptions({ id: group.id }),
    saved: () => t('Group saved'),
    outdated: [trpc.securityGroups.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: group.name })}
      opened={group}
      {...stored}
      schema={SecurityGroupUpdate}
      toValues={toGroupValues}
      toInput={toGroupUpdate}
      fieldName={groupFieldName}
      save={(changes) => client.securityGroups.update.mutate({ id: group.id, ...changes })}
      submitLabel={t('Save group')}
      outdatedTitle={t('Another user changed the group')}
    >
      {(form, base) => <GroupFields form={form} tenantId={base.tenant_id} />}
    </VersionedDrawer>
  );
}
