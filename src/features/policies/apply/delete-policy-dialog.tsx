'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Policy } from '@/domain/policies';
import { formatCount } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { guestsText, liveRules } from '../policy-words';

type Props = {
  policy: Pick<Policy, 'id' | 'name' | 'version' | 'deployments'>;
  onClose: () => void;
  onDeleted: () => void;
};

/** Asks for the name before a policy goes, and tells what is removed from the guests. */
export function DeletePolicyDialog({ policy, onClose, onDeleted }: Props) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.policies.delete.mutationOptions({
      onSuccess: ({ cleanup }) => {
        showToast('ok', {
          title: `${policy.name} deleted`,
          description: cleanup.length > 0 ? 'Its rules are being removed from the guests.' : undefined,
        });
        onDeleted();
        void queryClient.invalidateQueries(trpc.policies.list.pathFilter());
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
      },
    }),
  );
  const live = liveRules(policy.deployments);
  const rules = `${formatCount(live)} live ${live === 1 ? 'rule' : 'rules'}`;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete policy ${policy.name}?`}
      typed={policy.name}
      confirmLabel={live > 0 ? `Delete policy and remove ${rules}` : 'Delete policy'}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate({ id: policy.id, version: policy.version })}
    >
      {live > 0 ? (
        <p>
          <strong className="text-text">{rules}</strong> on {guestsText(policy.deployments)} are removed at once.
        </p>
      ) : (
        <p>No rule of it is known to be live; the clusters are searched for leftovers if it was ever applied.</p>
      )}
      <p>All its versions are deleted with it. The audit trail keeps what it said last.</p>
    </ConfirmDialog>
  );
}
