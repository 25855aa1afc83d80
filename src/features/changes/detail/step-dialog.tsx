'use client';
import { useId, useState } from 'react';
import type { Change } from '@/domain/change/change';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { type Step, useChangeSteps } from '../use-change-steps';

/** Steps that are asked about, with room for a comment that becomes part of the record. */
export type AskedStep = Extract<Step, 'approve' | 'reject' | 'withdraw' | 'roll_back' | 'revert'>;

const ASKED: Record<AskedStep, { title: string; confirm: string; tone: 'primary' | 'danger'; text: string }> = {
  approve: {
    title: msg('Approve {name}?'),
    confirm: msg('Approve change'),
    tone: 'primary',
    text: msg(
      'The approval is bound to this content and to what it changes on the workloads. A later edit revokes it.',
    ),
  },
  reject: {
    title: msg('Reject {name}?'),
    confirm: msg('Reject change'),
    tone: 'danger',
    text: msg('The author can edit the change and submit it again.'),
  },
  withdraw: {
    title: msg('Withdraw {name}?'),
    confirm: msg('Withdraw change'),
    tone: 'danger',
    text: msg('Nothing is applied. The change can be edited and submitted again.'),
  },
  roll_back: {
    title: msg('Roll back {name}?'),
    confirm: msg('Roll back change'),
    tone: 'danger',
    text: msg('Every workload that was written returns to its former rules, order, sets and switches.'),
  },
  revert: {
    title: msg('Revert {name}?'),
    confirm: msg('Create reverting change'),
    tone: 'primary',
    text: msg('This creates a new change with the opposite content. Nothing is applied yet.'),
  },
};

/** Asks before a step, and for a comment. The step is about the change as it was when the dialog opened. Mount it when it opens. */
export function StepDialog({ change: shown, step, onClose }: { change: Change; step: AskedStep; onClose: () => void }) {
  const t = useT();
  const id = useId();
  const [change] = useState(shown);
  const [comment, setComment] = useState('');
  const steps = useChangeSteps(change, onClose);
  const words = ASKED[step];
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(words.title, { name: change.title })}
      confirmLabel={t(words.confirm)}
      tone={words.tone}
      pending={steps.isPending}
      error={steps.error ? toFailure(steps.error) : null}
      onConfirm={() => steps.mutate({ step, ...(step !== 'revert' && { comment }) })}
    >
      <p>{t(words.text)}</p>
      {step !== 'revert' && (
        <>
          <label htmlFor={id} className="mt-2 block font-medium text-text">
            {t('Comment')} <span className="font-normal text-faint">{t('(optional)')}</span>
          </label>
          <textarea
            id={id}
            rows={2}
            maxLength={2000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
            className="control mt-1 w-full resize-y px-2.5 py-1.5 text-text"
          />
        </>
      )}
    </ConfirmDialog>
  );
}
