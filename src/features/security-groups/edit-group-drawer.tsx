'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type SecurityGroup, SecurityGroupUpdate } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { GroupForm } from './group-form';
import { toGroupUpdate, toGroupValues } from './group-form-values';

/** Changes name, description and tag rule. Mount it when it opens: what it read then guards against the changes of others. */
export function EditGroupDrawer({ group, onClose }: { group: SecurityGroup; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [reading, setReading] = useState(group);
  const save = useMutation(
    trpc.securityGroups.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.securityGroups.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
        showToast('ok', { title: t('Security group saved') });
        onClose();
      },
    }),
  );
  const reload = useMutation({
    mutationFn: () =>
      queryClient.fetchQuery({ ...trpc.securityGroups.get.queryOptions({ id: group.id }), staleTime: 0 }),
    onSuccess: (fresh) => {
      setReading(fresh);
      save.reset();
    },
  });
  const failure = save.error ? failureOf(save.error) : null;
  const outdated = failure?.code === 'version_conflict';
  return (
    <Drawer open onOpenChange={(next) => !next && onClose()} persistent title={t('Edit {name}', { name: group.name })}>
      <div className="flex flex-col gap-4">
        {outdated && (
          <Notice
            tone="warn"
            live
            title={t('Somebody else changed the group')}
            action={
              <Button size="sm" onClick={() => reload.mutate()} pending={reload.isPending}>
                {t('Show their version')}
              </Button>
            }
          >
            {t('Your changes are not saved. Look at the new state, then change it again.')}
          </Notice>
        )}
        <GroupForm
          key={reading.version}
          defaultValues={toGroupValues(reading)}
          schema={SecurityGroupUpdate}
          toInput={(values) => toGroupUpdate(values, reading)}
          onSubmit={(changes) => save.mutate({ id: group.id, ...changes })}
          error={outdated ? null : failure}
          pending={save.isPending}
          submitLabel={t('Save group')}
          tenantId={reading.tenant_id}
          onCancel={onClose}
        />
      </div>
    </Drawer>
  );
}
