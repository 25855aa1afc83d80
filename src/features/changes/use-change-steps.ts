'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { Change, ChangeApply } from '@/domain/change/change';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import type { ChangeAction } from '../shared/changes/change-labels';
import type { AskedTimes } from '../shared/impact/use-impact';

export type Step = Exclude<ChangeAction, 'edit' | 'break_glass'>;
/** What the record keeps of a step, and what an apply says besides. */
export type StepInput = { comment?: string; apply?: Omit<ChangeApply, 'version'> };

type Client = ReturnType<typeof useTRPCClient>;
type Guarded = { id: string; version: number };

function takeStep(
  { changes, changeRollout }: Client,
  step: Step,
  change: Guarded,
  { comment, apply }: StepInput,
): Promise<Change> {
  const guarded = { ...change, comment };
  switch (step) {
    case 'submit':
      return changes.submit.mutate(guarded);
    case 'approve':
      return changes.approve.mutate(guarded);
    case 'reject':
      return changes.reject.mutate(guarded);
    case 'withdraw':
      return changes.withdraw.mutate(guarded);
    case 'apply':
      return changeRollout.applyChange.mutate({ ...change, ...apply });
    case 'continue':
      return changeRollout.continue.mutate(guarded);
    case 'confirm':
      return changeRollout.confirm.mutate(guarded);
    case 'roll_back':
      return changeRollout.rollBack.mutate(guarded);
    case 'revert':
      return changeRollout.revert.mutate({ id: change.id });
  }
}

const DONE: Record<Step, string> = {
  submit: msg('Change submitted'),
  approve: msg('Change approved'),
  reject: msg('Change rejected'),
  withdraw: msg('Change withdrawn'),
  apply: msg('Roll-out started'),
  continue: msg('Roll-out continued'),
  confirm: msg('Change confirmed'),
  roll_back: msg('Rollback started'),
  revert: msg('Reverting change created'),
};

/**
 * Takes a step of a change, guarded by the version that is shown: no one approves or applies what they did not see. A revert is
 * another change, and leads to it.
 */
export function useChangeSteps({ id, version }: Pick<Change, 'id' | 'version'>, onDone: () => void = () => undefined) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const router = useRouter();
  const refresh = () => queryClient.invalidateQueries(trpc.changes.pathFilter());
  return useMutation({
    mutationFn: ({ step, ...input }: { step: Step } & StepInput) => takeStep(client, step, { id, version }, input),
    onSuccess: async (change, { step }) => {
      queryClient.setQueryData(trpc.changes.get.queryKey({ id: change.id }), change);
      await refresh();
      const isStillWaiting = step === 'confirm' && change.state !== 'confirmed';
      showToast('ok', { title: isStillWaiting ? t('Timer stopped') : t(DONE[step]) });
      onDone();
      if (step === 'revert') router.push(paths.change({ changeId: change.id }));
    },
    // Another step or edit came first: the page shows it.
    onError: () => void refresh(),
  });
}

/** Has the impact of all edits of a change computed, or finds the one that was computed. */
export function useAskChangeImpact(id: string) {
  const client = useTRPCClient();
  return (times: AskedTimes, signal: AbortSignal) => client.changes.impact.query({ id, ...times }, { signal });
}
