'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Policy } from '@/domain/policies';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { guestsText, liveRules } from '../policy-labels';
import { CleanupEffects } from './cleanup-effects';

export type SwitchKind = 'enforce' | 'audit' | 'enable' | 'disable';

type Props = { policy: Policy; kind: SwitchKind; onClose: () => void; onDone: (kind: SwitchKind) => void };

type Words = { title: string; confirm: string; confirmRemoval?: string; done: string; reason: string };

/** What each switch changes, and what the button that turns it says. */
const KINDS: Record<SwitchKind, Words> = {
  enforce: {
    title: msg('Switch {name} to enforced?'),
    confirm: msg('Switch to enforced'),
    done: msg('{name} is enforced from the next apply on'),
    reason: msg('Switched to enforced'),
  },
  audit: {
    title: msg('Switch {name} to audit?'),
    confirm: msg('Switch to audit'),
    confirmRemoval: msg('Switch to audit and remove {n, plural, one {# live rule} other {# live rules}}'),
    done: msg('{name} only watches from now on'),
    reason: msg('Switched to audit'),
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

/** Turns one switch of a policy, after saying what comes of it on the guests. */
export function SwitchDialog({ policy, kind, onClose, onDone }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const words = KINDS[kind];
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
              ? t('Its rules are being removed from {n, plural, one {one cluster} other {# clusters}}.', {
                  n: saved.cleanup.length,
                })
              : undefined,
        });
        onDone(kind);
      },
    }),
  );
  const live = liveRules(policy.deployments);
  const removes = kind === 'audit' || kind === 'disable';
  const inForce = policy.enabled && policy.definition.enforcement_mode === 'enforced';
  const removal = removes && inForce && live > 0;
  const change =
    kind === 'enforce' || kind === 'audit'
      ? {
          definition: {
            ...policy.definition,
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
      error={save.error ? failureOf(save.error) : null}
      onConfirm={() => save.mutate({ id: policy.id, version: policy.version, reason: t(words.reason), ...change })}
    >
      {removal ? (
        <p>
          {t.rich(
            '<b>{n, plural, one {# live rule} other {# live rules}}</b> on {places} are removed at once, with a result per guest. What they decided is then decided by what is left on the guests.',
            {
              n: live,
              places: guestsText(t, policy.deployments),
              b: (inside) => <strong className="text-text">{inside}</strong>,
            },
          )}
        </p>
      ) : removes && inForce ? (
        <p>{t('No rule of it is known to be live. The clusters are searched for leftovers, and those are removed.')}</p>
      ) : removes ? (
        <p>{t('No guest changes: the policy is not in force.')}</p>
      ) : kind === 'enable' && policy.definition.enforcement_mode === 'audit' ? (
        <p>{t('No guest changes: the policy is in audit mode.')}</p>
      ) : (
        <p>{t('No guest changes yet. Look at the preview, then apply: only that writes rules.')}</p>
      )}
      {removes && inForce && <CleanupEffects policyId={policy.id} />}
      {kind === 'disable' && (
        <p>{t('It is kept with all its versions, and left out of audit until it is enabled again.')}</p>
      )}
      {kind === 'audit' && <p>{t('From then on flows tell what the policy would decide.')}</p>}
    </ConfirmDialog>
  );
}
