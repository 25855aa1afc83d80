'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Policy } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../../shared/changes/change-refusal';
import { withoutProposed } from '../../shared/changes/proposed-change';
import { SaveAsChange } from '../../shared/changes/save-as-change';
import { countLiveRules, guestsText } from '../policy-labels';
import { CleanupEffects } from './cleanup-effects';

type Props = {
  policy: Pick<Policy, 'id' | 'name' | 'version' | 'deployments'>;
  onClose: () => void;
  onDeleted: () => void;
};

/** Asks for the name before deleting a policy, and shows what is removed from the guests. Mount it when it opens. */
export function DeletePolicyDialog({ policy, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.policies.delete.mutationOptions({
      onSuccess: ({ cleanup }) => {
        showToast('ok', {
          title: t('{name} deleted', { name: policy.name }),
          description: cleanup.length > 0 ? t('Policy rules are being removed from the workloads.') : undefined,
        });
        onDeleted();
        void queryClient.invalidateQueries(trpc.policies.list.pathFilter());
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
      },
    }),
  );
  const [keeps, setKeeps] = useState(false);
  // An edit after the dialog opened is refused, not deleted with the policy.
  const [version] = useState(policy.version);
  const live = countLiveRules(policy.deployments);
  const failure = remove.error ? toFailure(remove.error) : null;
  if (keeps)
    return (
      <SaveAsChange
        item={{ kind: 'policy_delete', policy_id: policy.id, base_version: version }}
        title={t('Delete {name}', { name: policy.name })}
        onClose={onClose}
      />
    );
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('Delete policy {name}?', { name: policy.name })}
      typed={policy.name}
      confirmLabel={
        live > 0
          ? t('Delete policy and remove {n, plural, one {# live rule} other {# live rules}}', { n: live })
          : t('Delete policy')
      }
      pending={remove.isPending}
      error={withoutProposed(failure)}
      onConfirm={() => remove.mutate({ id: policy.id, version })}
    >
      {live > 0 ? (
        <p>
          {t.rich(
            '<b>{n, plural, one {# live rule} other {# live rules}}</b> on {places} will be removed immediately.',
            {
              n: live,
              places: guestsText(t, policy.deployments),
              b: (inside) => <strong className="text-text">{inside}</strong>,
            },
          )}
        </p>
      ) : (
        <p>
          {t(
            'None of its rules are known to be live. If the policy was ever applied, the clusters are searched for leftover rules.',
          )}
        </p>
      )}
      <CleanupEffects policyId={policy.id} />
      <p>{t('All its versions are deleted, too. The audit trail keeps its last content.')}</p>
      <ChangeRefusal failure={failure} />
      <div>
        <Button size="sm" onClick={() => setKeeps(true)}>
          {t('Save as change…')}
        </Button>
      </div>
    </ConfirmDialog>
  );
}
