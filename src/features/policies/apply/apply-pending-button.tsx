'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { usePermissions } from '../../shared/use-permissions';

const ApplyPendingDialog = loadOnOpening(
  () => import('./apply-pending-dialog').then((module) => module.ApplyPendingDialog),
  () => true,
);

/** Applies every enforced policy whose live state differs from the desired state, as one change. */
export function ApplyPendingButton() {
  const t = useT();
  const trpc = useTRPC();
  const { reason } = usePermissions();
  const [open, setOpen] = useState(false);
  const behind = { enforcement_mode: 'enforced', enabled: true, sort: 'name', limit: 100 } as const;
  const stale = useQuery(trpc.policies.list.queryOptions({ ...behind, deployment_status: 'stale' }));
  const partial = useQuery(trpc.policies.list.queryOptions({ ...behind, deployment_status: 'partial' }));
  const total = (stale.data?.total ?? 0) + (partial.data?.total ?? 0);
  if (total === 0) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)} disabledReason={reason('policy:write') ?? reason('policy:apply')}>
        {t('Apply pending ({n, number})', { n: total })}
      </Button>
      {open && (
        <ApplyPendingDialog
          policies={[...(stale.data?.items ?? []), ...(partial.data?.items ?? [])]}
          total={total}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
