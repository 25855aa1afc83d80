'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SecurityGroup, SecurityGroupInput } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { useTenantOptions } from '../shared/use-tenant-options';
import { GroupForm } from './group-form';
import { EMPTY_GROUP, toGroupInput } from './group-form-values';

type Props = { open: boolean; onClose: () => void; onCreated: (group: SecurityGroup) => void };

/** Makes a group; its members come afterwards. */
export function CreateGroupDrawer({ open, onClose, onCreated }: Props) {
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
    <Drawer
      open={open}
      onOpenChange={(next) => {
        if (next) return;
        create.reset();
        onClose();
      }}
      persistent
      title={t('Create security group')}
    >
      <GroupForm
        defaultValues={{ ...EMPTY_GROUP, tenant_id: tenants[0]?.value ?? null }}
        schema={SecurityGroupInput}
        toInput={toGroupInput}
        onSubmit={(input) => create.mutate(input)}
        error={create.error ? failureOf(create.error) : null}
        pending={create.isPending}
        submitLabel={t('Create group')}
        tenants={tenants}
        onCancel={onClose}
      />
    </Drawer>
  );
}
