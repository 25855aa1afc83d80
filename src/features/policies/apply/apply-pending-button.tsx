'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApplyPendingResult } from '@/domain/deployments';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { usePermissions } from '../../shared/use-permissions';

/** Applies every enforced policy whose live state differs from the desired state, after listing them. */
export function ApplyPendingButton() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const [open, setOpen] = useState(false);
  const behind = { enforcement_mode: 'enforced', enabled: true, sort: 'name', limit: 100 } as const;
  const stale = useQuery(trpc.policies.list.queryOptions({ ...behind, deployment_status: 'stale' }));
  const partial = useQuery(trpc.policies.list.queryOptions({ ...behind, deployment_status: 'partial' }));
  const apply = useMutation(
    trpc.deployments.applyPending.mutationOptions({
      onSuccess: (result) => {
        setOpen(false);
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
        tell(t, result);
      },
    }),
  );
  const total = (stale.data?.total ?? 0) + (partial.data?.total ?? 0);
  const names = [...(stale.data?.items ?? []), ...(partial.data?.items ?? [])].map(({ name }) => name);
  if (total === 0) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)} disabledReason={reason('policy:apply')}>
        {t('Apply pending ({n, number})', { n: total })}
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={(next) => {
          apply.reset();
          setOpen(next);
        }}
        title={t('{n, plural, one {Apply # policy?} other {Apply # policies?}}', { n: total })}
        confirmLabel={t('{n, plural, one {Apply # policy} other {Apply # policies}}', { n: total })}
        tone="primary"
        pending={apply.isPending}
        error={apply.error ? failureOf(apply.error) : null}
        onConfirm={() => apply.mutate()}
      >
        <p>{t('These enforced policies are not in sync:')}</p>
        <ul className="list-disc pl-4 text-text">
          {names.slice(0, 10).map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
        {total > 10 && <p>{t('and {n, number} more.', { n: total - 10 })}</p>}
        <p>{t('Preview each policy to see what changes on the workloads.')}</p>
      </ConfirmDialog>
    </>
  );
}

function tell(t: Translate, { operations }: ApplyPendingResult) {
  const refused = operations.filter(({ deployment_ids }) => deployment_ids.length === 0);
  const started = operations.length - refused.length;
  showToast(refused.length > 0 ? 'warn' : 'ok', {
    title: t('{n, plural, one {Applying # policy} other {Applying # policies}}', { n: started }),
    description: refused
      .slice(0, 3)
      .map(({ policy_name, message }) =>
        t('{name}: {value}', { name: policy_name, value: message ?? t('not started') }),
      )
      .join(' '),
  });
}
