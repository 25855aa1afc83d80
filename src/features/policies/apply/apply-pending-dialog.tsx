'use client';
import { MAX_CHANGE_ITEMS } from '@/domain/choices';
import type { Policy } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { useSubmitAsChange } from '../../shared/changes/use-submit-as-change';

type Props = { policies: readonly Pick<Policy, 'id' | 'name'>[]; total: number; onClose: () => void };

/** Makes one change of every policy that is pending: its page shows what all of them together would do, and applies them. */
export function ApplyPendingDialog({ policies, total, onClose }: Props) {
  const t = useT();
  const submit = useSubmitAsChange();
  const chosen = policies.slice(0, MAX_CHANGE_ITEMS);
  const failure = submit.error ? toFailure(submit.error) : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      persistent={submit.isPending}
      title={t('{n, plural, one {Apply # pending policy} other {Apply # pending policies}}', { n: chosen.length })}
      description={t(
        'As one change: its page shows the difference, the impact and the switches that change. Nothing is written until you apply it.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            // Until the page of the change is there.
            pending={submit.isPending || submit.isSuccess}
            onClick={() =>
              submit.mutate({
                title: t('Apply pending policies'),
                items: chosen.map(({ id }) => ({ kind: 'policy', policy_id: id })),
              })
            }
          >
            {t('Review as one change')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {failure && (
          <Notice tone="danger" live title={failure.title}>
            {failure.detail}
            {failure.errors?.map(({ field, message }) => (
              <p key={field}>{message}</p>
            ))}
          </Notice>
        )}
        <ul aria-label={t('Policies')} className="max-h-80 overflow-y-auto rounded-md border bg-surface">
          {chosen.map(({ id, name }) => (
            <li key={id} className="px-3 py-1.5">
              <Link className="link" href={paths.policy({ policyId: id })}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
        {total > chosen.length && (
          <p>
            {t('{n, number} more do not fit into one change. Apply them afterwards.', { n: total - chosen.length })}
          </p>
        )}
      </div>
    </Dialog>
  );
}
