'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { Change, ChangeApply } from '@/domain/change/change';
import type { Impact } from '@/domain/impact/impact';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { rest } from '@/lib/rest';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import type { ChangeAction } from '../shared/changes/change-labels';
import type { AskedTimes } from '../shared/impact/use-impact';

export type Step = Exclude<ChangeAction, 'edit'>;
export type StepInput = { comment?: string } & Omit<Partial<ChangeApply>, 'version'>;

/** The call of each step, below the change. */
const CALLS: Record<Step, string> = {
  submit: 'submit',
  approve: 'approve',
  reject: 'reject',
  withdraw: 'withdraw',
  apply: 'apply',
  continue: 'continue',
  confirm: 'confirm',
  roll_back: 'roll-back',
  revert: 'revert',
};

/** A revert is a draft of its own, without a step to guard or comment on. */
const toBody = (step: Step, version: number, input: StepInput) =>
  step === 'revert' ? undefined : { version, ...input };

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
  const queryClient = useQueryClient();
  const router = useRouter();
  const refresh = () => queryClient.invalidateQueries(trpc.changes.pathFilter());
  return useMutation({
    mutationFn: ({ step, ...input }: { step: Step } & StepInput) =>
      rest<Pick<Change, 'id'>>(`/changes/${id}/${CALLS[step]}`, {
        method: 'POST',
        body: toBody(step, version, input),
      }),
    onSuccess: async (result, { step }) => {
      await refresh();
      showToast('ok', { title: t(DONE[step]) });
      onDone();
      if (step === 'revert') router.push(paths.change({ changeId: result.id }));
    },
    // Another step or edit came first: the page shows it.
    onError: () => void refresh(),
  });
}

/** Has the impact of all edits of a change computed, or finds the one that was computed. */
export const askChangeImpact = (id: string, times: AskedTimes, signal: AbortSignal): Promise<Impact> =>
  rest<Impact>(`/changes/${id}/impact?${new URLSearchParams({ ...times } as Record<string, string>)}`, { signal });
