'use client';
import { useT } from '@/lib/i18n/use-t';
import { type Failure, toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import type { ProposedChange } from './proposed-change';
import { useSubmitAsChange } from './use-submit-as-change';

/** Refused because it needs approval: submits the change that the service proposes for review, and opens it. */
export function ApprovalRequired({ failure, proposed }: { failure: Failure; proposed: ProposedChange }) {
  const t = useT();
  const submit = useSubmitAsChange();
  const refusal = submit.error ? toFailure(submit.error) : null;
  return (
    <Notice
      tone="warn"
      live
      title={t('Approval required')}
      action={
        <Button size="sm" variant="primary" pending={submit.isPending} onClick={() => submit.mutate(proposed)}>
          {t('Submit as a change')}
        </Button>
      }
    >
      <p>{failure.detail}</p>
      {refusal && <p className="text-danger">{refusal.detail ?? refusal.title}</p>}
    </Notice>
  );
}
