'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_BULK_MEMBERS } from '@/domain/choices';
import type { SecurityGroup } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Drawer } from '@/ui/drawer';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../shared/changes/change-refusal';
import { withoutProposed } from '../shared/changes/proposed-change';
import { SaveAsChange } from '../shared/changes/save-as-change';
import { WorkloadPicker } from '../shared/workload-picker';

type Props = {
  group: Pick<SecurityGroup, 'id' | 'name' | 'project_id' | 'policies_total' | 'version'>;
  onClose: () => void;
};

/** Chooses any number of workloads and adds them in one step. */
export function AddMembersDrawer({ group, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [keeps, setKeeps] = useState(false);
  const add = useMutation(
    trpc.securityGroups.changeMembers.mutationOptions({
      onSuccess: ({ added, unchanged }) => {
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
        showToast('ok', {
          title: t('{n, plural, one {# member added} other {# members added}}', { n: added }),
          description:
            unchanged > 0
              ? t(
                  '{n, plural, one {# selected workload was} other {# selected workloads were}} already in the group.',
                  { n: unchanged },
                )
              : undefined,
        });
        onClose();
      },
    }),
  );
  const failure = add.error ? toFailure(add.error) : null;
  const count = chosen.size;
  const shownFailure = withoutProposed(failure);
  const refusal =
    count === 0
      ? t('Select at least one workload')
      : count > MAX_BULK_MEMBERS && t('Select at most {n, number}', { n: MAX_BULK_MEMBERS });
  if (keeps)
    return (
      <SaveAsChange
        item={{ kind: 'group_members', group_id: group.id, base_version: group.version, add: [...chosen] }}
        title={t('Add members to {group}', { group: group.name })}
        onClose={() => setKeeps(false)}
      />
    );
  return (
    <Drawer
      open
      onOpenChange={(next) => !next && onClose()}
      size="lg"
      persistent
      title={t('Add members to {group}', { group: group.name })}
      description={
        group.policies_total > 0
          ? t('Rules on workloads change the next time the policies that use this group are applied.')
          : undefined
      }
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button onClick={() => setKeeps(true)} disabledReason={refusal}>
            {t('Save as change…')}
          </Button>
          <Button
            variant="primary"
            pending={add.isPending}
            disabledReason={refusal}
            onClick={() => add.mutate({ id: group.id, add: [...chosen], remove: [] })}
          >
            {count === 0 ? t('Add members') : t('{n, plural, one {Add # member} other {Add # members}}', { n: count })}
          </Button>
        </>
      }
    >
      <div className="flex h-full flex-col gap-3">
        <ChangeRefusal failure={failure} />
        {shownFailure && (
          <Notice tone="danger" live title={shownFailure.title}>
            {shownFailure.detail}
            {shownFailure.errors?.slice(0, 5).map((item) => (
              <p key={item.message}>{item.message}</p>
            ))}
          </Notice>
        )}
        <WorkloadPicker selection={chosen} onSelectionChange={setChosen} projectId={group.project_id} />
      </div>
    </Drawer>
  );
}
