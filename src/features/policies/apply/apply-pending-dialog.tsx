'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { ApplyInput, ApplyPendingResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { ApplyImpact } from '../../shared/impact/apply-impact';
import { usePolicyImpact } from './use-policy-impact';

/** Policies whose impact is computed here; that of others is unknown, and so has to be confirmed. */
const MOST_IMPACTS = 10;

type Pending = Pick<Policy, 'id' | 'name' | 'version'>;
type Sent = Pick<ApplyInput, 'impact_id' | 'acknowledge_newly_blocked'> | null;

type Props = { policies: readonly Pending[]; total: number; onClose: () => void };

/** Applies every policy that is pending, after showing what each would do to observed connections. */
export function ApplyPendingDialog({ policies, total, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [shown] = useState(() => policies.slice(0, MOST_IMPACTS));
  const [sent, setSent] = useState<ReadonlyMap<string, Sent>>(new Map());
  const [without, setWithout] = useState(false);
  const others = total - shown.length;
  const apply = useMutation(
    trpc.deployments.applyPending.mutationOptions({
      onSuccess: (result) => {
        onClose();
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
        report(t, result);
      },
    }),
  );
  const isWaiting = shown.some(({ id }) => !sent.get(id)) || (others > 0 && !without);
  const failure = apply.error ? toFailure(apply.error) : null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      persistent={apply.isPending}
      title={t('{n, plural, one {Apply # policy?} other {Apply # policies?}}', { n: total })}
      description={t('Preview each policy to see what changes on the workloads.')}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            pending={apply.isPending}
            disabledReason={
              isWaiting
                ? t('Acknowledge what would be blocked, or choose to apply without the impact, for each policy')
                : null
            }
            onClick={() =>
              apply.mutate({
                impacts: shown.flatMap(({ id }) => {
                  const { impact_id, acknowledge_newly_blocked } = sent.get(id) ?? {};
                  return impact_id ? [{ policy_id: id, impact_id, acknowledge_newly_blocked }] : [];
                }),
              })
            }
          >
            {t('{n, plural, one {Apply # policy} other {Apply # policies}}', { n: total })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {failure && (
          <Notice tone="danger" live title={failure.title}>
            {failure.detail}
          </Notice>
        )}
        <p>{t('These enforced policies are not in sync:')}</p>
        {shown.map((policy) => (
          <PendingPolicy
            key={policy.id}
            policy={policy}
            onSent={(one) => setSent((known) => new Map(known).set(policy.id, one))}
          />
        ))}
        {others > 0 && (
          <section className="flex flex-col gap-2">
            <p>{t('and {n, number} more.', { n: others })}</p>
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox renders the labelled control. */}
            <label className="flex min-h-6 items-center gap-2">
              <Checkbox checked={without} onCheckedChange={setWithout} />
              {t('Apply without the impact: which connections are cut is unknown')}
            </label>
          </section>
        )}
      </div>
    </Dialog>
  );
}

/** One of the policies. @param onSent what its apply says about the impact; null: something has to be confirmed first */
function PendingPolicy({ policy, onSent }: { policy: Pending; onSent: (sent: Sent) => void }) {
  const impact = usePolicyImpact(policy, 0, true);
  const key = JSON.stringify(impact.sent);
  const update = useEffectEvent((text: string) => onSent(JSON.parse(text) as Sent));
  useEffect(() => update(key), [key]);
  return (
    <section className="flex flex-col gap-2" aria-label={policy.name}>
      <h3 className="font-medium">{policy.name}</h3>
      <ApplyImpact of={impact} />
    </section>
  );
}

function report(t: Translate, { operations }: ApplyPendingResult) {
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
