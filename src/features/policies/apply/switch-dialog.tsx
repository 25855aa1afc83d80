'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Policy } from '@/domain/policies';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../../shared/changes/change-refusal';
import { withoutProposed } from '../../shared/changes/proposed-change';
import { countLiveRules, guestsText } from '../policy-labels';
import { CleanupEffects } from './cleanup-effects';

export type SwitchKind = 'enforce' | 'audit' | 'enable' | 'disable';

type Props = { policy: Policy; kind: SwitchKind; onClose: () => void; onDone: (kind: SwitchKind) => void };

type Words = { title: string; confirm: string; confirmRemoval?: string; done: string; reason: string };

/** What each switch changes, and what the button that turns it says. */
const KINDS: Record<SwitchKind, Words> = {
  enforce: {
    title: msg('Switch {name} to enforced?'),
    confirm: msg('Switch to enforced'),
    done: msg('{name} will be enforced when applied'),
    reason: msg('Switched to enforced'),
  },
  audit: {
    title: msg('Switch {name} to audit mode?'),
    confirm: msg('Switch to audit mode'),
    confirmRemoval: msg('Switch to audit mode and remove {n, plural, one {# live rule} other {# live rules}}'),
    done: msg('{name} switched to audit mode'),
    reason: msg('Switched to audit mode'),
  },
  enable: {
    title: msg('Enable {name}?'),
    confirm: msg('Enable policy'),
    done: msg('{name} enabled'),
    reason: msg('Enabled'),
  },
  disable: {
    title: msg('Disable {name}?'),
    confirm: msg('Disable policy'),
    confirmRemoval: msg('Disable policy and remove {n, plural, one {# live rule} other {# live rules}}'),
    done: msg('{name} disabled'),
    reason: msg('Disabled'),
  },
};

/** Turns one switch of a policy, after saying what comes of it on the guests. Mount it when it opens. */
export function SwitchDialog({ policy, kind, onClose, onDone }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const words = KINDS[kind];
  // What is sent is what was there when the dialog opened: an edit in the meantime is refused, not overwritten.
  const [{ version, definition, enabled }] = useState(policy);
  const save = useMutation(
    trpc.policies.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.policies.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
        showToast('ok', {
          title: t(words.done, { name: policy.name }),
          description:
            saved.cleanup.length > 0
              ? t('Policy rules are being removed from {n, plural, one {one cluster} other {# clusters}}.', {
                  n: saved.cleanup.length,
                })
              : undefined,
        });
        onDone(kind);
      },
    }),
  );
  const failure = save.error ? toFailure(save.error) : null;
  const live = countLiveRules(policy.deployments);
  const removes = kind === 'audit' || kind === 'disable';
  const inForce = enabled && definition.enforcement_mode === 'enforced';
  const removal = removes && inForce && live > 0;
  const change =
    kind === 'enforce' || kind === 'audit'
      ? {
          definition: {
            ...definition,
            enforcement_mode: kind === 'enforce' ? ('enforced' as const) : ('audit' as const),
          },
        }
      : { enabled: kind === 'enable' };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(words.title, { name: policy.name })}
      confirmLabel={removal && words.confirmRemoval ? t(words.confirmRemoval, { n: live }) : t(words.confirm)}
      tone={removes ? 'danger' : 'primary'}
      pending={save.isPending}
      error={withoutProposed(failure)}
      onConfirm={() => save.mutate({ id: policy.id, version, reason: t(words.reason), ...change })}
    >
      <ChangeRefusal failure={failure} />
      {removal ? (
        <p>
          {t.rich(
            '<b>{n, plural, one {# live rule} other {# live rules}}</b> on {places} will be removed immediately, with a result per workload. The remaining rules and default policies then apply.',
            {
              n: live,
              places: guestsText(t, policy.deployments),
              b: (inside) => <strong className="text-text">{inside}</strong>,
            },
          )}
        </p>
      ) : removes && inForce ? (
        <p>{t('None of its rules are known to be live. Any leftover rules found on the clusters will be removed.')}</p>
      ) : removes ? (
        <p>{t('No workload changes: the policy is not enforced.')}</p>
      ) : kind === 'enable' && definition.enforcement_mode === 'audit' ? (
        <p>{t('No workload changes: the policy is in audit mode.')}</p>
      ) : (
        <p>{t('No workload changes yet. Check the preview, then apply the policy to write its rules.')}</p>
      )}
      {removes && inForce && <CleanupEffects policyId={policy.id} />}
      {kind === 'disable' && (
        <p>{t('The policy and its versions are kept. Audit skips the policy until it is enabled again.')}</p>
      )}
      {kind === 'audit' && <p>{t('Flows then show what the policy would allow or block.')}</p>}
    </ConfirmDialog>
  );
}
