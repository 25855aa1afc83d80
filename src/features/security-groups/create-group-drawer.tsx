'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SecurityGroup, SecurityGroupInput } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { RecordDrawer } from '../shared/record-drawer';
import { useTenantOptions } from '../shared/tenant-options';
import { GroupFields, groupFieldName } from './group-fields';
import { EMPTY_GROUP, toGroupInput } from './group-form-values';

type Props = { onClose: () => void; onCreated: (group: SecurityGroup) => void };

/** Makes a group; its members come afterwards. Mount it when it opens. */
export function CreateGroupDrawer({ onClose, onCreated }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const tenants = useTenantOptions('group:write');
  const create = useMutation(
    trpc.securityGroups.create.mutationOptions({
      onSuccess: (group) => {
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
        onCreated(group);
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Create group')}
      defaultValues={{ ...EMPTY_GROUP, tenant_id: tenants[0]?.value ?? null }}
      schema={SecurityGroupInput}
      toInput={toGroupInput}
      save={create}
      submitLabel={t('Create group')}
      fieldName={groupFieldName}
      onClose={onClose}
    >
      {(_control, form) => <GroupFields form={form} tenants={tenants} />}
    </RecordDrawer>
  );
}
