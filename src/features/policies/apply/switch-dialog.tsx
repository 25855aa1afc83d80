'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Policy } from '@/domain/policies';
import { formatCount } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';
import { guestsText, liveRules } from '../policy-words';

export type SwitchKind = 'enforce' | 'audit' | 'enable' | 'disable';

type Props = { policy: Policy; kind: SwitchKind; onClose: () => void; onDone: (kind: SwitchKind) => void };

/** What each switch changes, and what the button that turns it says. */
const KINDS: Record<SwitchKind, { title: (name: string) => string; confirm: string; done: string; reason: string }> = {
  enforce: {
    title: (name) => `Switch ${name} to enforced?`,
    confirm: 'Switch to enforced',
    done: 'is enforced from the next apply on',
    reason: 'Switched to enforced',
  },
  audit: {
    title: (name) => `Switch ${name} to audit?`,
    confirm: 'Switch to audit',
    done: 'only watches from now on',
    reason: 'Switched to audit',
  },
  enable: { title: (name) => `Enable ${name}?`, confirm: 'Enable policy', done: 'enabled', reason: 'Enabled' },
  disable: { title: (name) => `Disable ${name}?`, confirm: 'Disable policy', done: 'disabled', reason: 'Disabled' },
};

/** Turns one switch of a policy, after saying what comes of it on the guests. */
export function SwitchDialog({ policy, kind, onClose, onDone }: Props) {
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
          title: `${policy.name} ${words.done}`,
          description:
            saved.cleanup.length > 0
              ? `Its rules are being removed from ${saved.cleanup.length === 1 ? 'one cluster' : `${saved.cleanup.length} clusters`}.`
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
  const rules = `${formatCount(live)} live ${live === 1 ? 'rule' : 'rules'}`;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={words.title(policy.name)}
      confirmLabel={removal ? `${words.confirm} and remove ${rules}` : words.confirm}
      tone={removes ? 'danger' : 'primary'}
      pending={save.isPending}
      error={save.error ? failureOf(save.error) : null}
      onConfirm={() => save.mutate({ id: policy.id, version: policy.version, reason: words.reason, ...change })}
    >
      {removal ? (
        <p>
          <strong className="text-text">{rules}</strong> on {guestsText(policy.deployments)} are removed at once, with a
          result per guest. What they decided is then decided by what is left on the guests.
        </p>
      ) : removes && inForce ? (
        <p>No rule of it is known to be live. The clusters are searched for leftovers, and those are removed.</p>
      ) : removes ? (
        <p>No guest changes: the policy is not in force.</p>
      ) : kind === 'enable' && policy.definition.enforcement_mode === 'audit' ? (
        <p>No guest changes: the policy is in audit mode.</p>
      ) : (
        <p>No guest changes yet. Look at the preview, then apply: only that writes rules.</p>
      )}
      {kind === 'disable' && <p>It is kept with all its versions, and left out of audit until it is enabled again.</p>}
      {kind === 'audit' && <p>From then on flows tell what the policy would decide.</p>}
    </ConfirmDialog>
  );
}
