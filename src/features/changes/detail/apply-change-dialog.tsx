'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Change } from '@/domain/change/change';
import type { ChangeDifference } from '@/domain/change/difference';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import { Properties } from '@/ui/properties';
import { TextInput } from '@/ui/text-input';
import { OpenBlockingChange } from '../../shared/changes/change-refusal';
import { SwitchConsent } from '../../shared/deployments/switch-consent';
import { listSwitches } from '../../shared/deployments/switches';
import { ApplyImpact, ImpactRefused, isImpactRefusal, useApplyImpact } from '../../shared/impact/apply-impact';
import { usePermissions } from '../../shared/use-permissions';
import { formatCanaries, formatLog, formatPause, formatTimer } from '../rollout-labels';
import { useAskChangeImpact, useChangeSteps } from '../use-change-steps';
import { Difference } from './difference-section';
import { readConflicts, VersionConflicts } from './version-conflicts';

const LEAST_REASON = 3;

type Props = {
  change: Change;
  /** Without the approvals that it lacks: for emergencies, with a reason. */
  isUrgent: boolean;
  onClose: () => void;
};

/** Also when the workloads whose switches change are not among those that are listed, there is something to consent to. */
function listDifferenceSwitches(t: Translate, { workloads, totals }: ChangeDifference) {
  const guests = workloads.filter(({ mac_filter }) => mac_filter);
  const listed = workloads.reduce((sum, { option_changes }) => sum + option_changes.length, 0);
  const more = totals.option_changes - listed;
  const unlisted = more > 0 ? [{ key: 'more', label: t('and {n, number} more', { n: more }), places: [] }] : [];
  return [...listSwitches(t, workloads, { guests, total: guests.length }), ...unlisted];
}

/** Confirms the roll-out of a change. When policy tests fail, a reason overrides them for those who may. */
export function ApplyChangeDialog({ change, isUrgent, onClose }: Props) {
  const t = useT();
  const { can } = usePermissions();
  const [urgency, setUrgency] = useState('');
  const [reason, setReason] = useState('');
  const [round, setRound] = useState(0);
  const ask = useAskChangeImpact(change.id);
  const client = useTRPCClient();
  // Read for this dialog: what is confirmed here is what is written.
  const difference = useQuery({
    queryKey: ['apply-change-difference', change.id, change.content_hash, round],
    queryFn: ({ signal }) => client.changes.difference.query({ id: change.id, refresh: true }, { signal }),
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  // What was just read is what it is computed from.
  const isRead = difference.data !== undefined && !difference.isFetching;
  const impact = useApplyImpact(
    isRead ? { key: ['apply-change', change.id, difference.data.fingerprint, difference.dataUpdatedAt], ask } : null,
  );
  // Consent to the switches of one preview is none to those of another.
  const [ticked, setTicked] = useState<ChangeDifference | null>(null);
  const isTicked = ticked !== null && ticked === difference.data;
  const switches = difference.data ? listDifferenceSwitches(t, difference.data) : [];
  const steps = useChangeSteps(change, onClose);
  const failure = steps.error ? toFailure(steps.error) : null;
  const conflicts = readConflicts(failure);
  const isTests = failure?.extra?.reason === 'policy_tests_failing' && can('policy_test:override');
  const previewAgain = () => {
    steps.reset();
    setRound(round + 1);
  };
  const isShort = isTests && reason.trim().length < LEAST_REASON;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      persistent={steps.isPending}
      title={isUrgent ? t('Apply without approval') : t('Apply change')}
      description={`${change.title}, ${t('Version {version}', { version: change.version })}`}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant={isUrgent ? 'danger' : 'primary'}
            pending={steps.isPending}
            disabledReason={
              isUrgent && urgency.trim().length < LEAST_REASON
                ? t('Enter why it cannot wait for approval')
                : isShort
                  ? t('Enter a reason to override the policy tests')
                  : conflicts
                    ? t('Solve the conflicts first')
                    : difference.isFetching
                      ? t('The preview is loading')
                      : difference.isError
                        ? t('The preview failed, so the changes are unknown')
                        : impact.sent === null
                          ? impact.impact?.status === 'done' && !impact.impact.outdated
                            ? t('Acknowledge the conversations that would be blocked')
                            : t('Wait for the impact, or choose to apply without it')
                          : switches.length > 0 && !isTicked
                            ? t('Tick the box for the switches that change')
                            : null
            }
            onClick={() =>
              steps.mutate({
                step: 'apply',
                apply: {
                  ...(difference.data?.fingerprint && { fingerprint: difference.data.fingerprint }),
                  ...(isTests && { override_tests: { reason } }),
                  ...(isUrgent && { break_glass: { reason: urgency } }),
                  ...impact.sent,
                },
              })
            }
          >
            {t('Apply change')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {isUrgent && (
          <Notice tone="warn" title={t('Not approved')}>
            <p>{t('The change is applied immediately. The reason is recorded and reported.')}</p>
            <TextInput
              aria-label={t('Reason to apply without approval')}
              placeholder={t('Reason to apply without approval')}
              value={urgency}
              onChange={(event) => setUrgency(event.target.value)}
              maxLength={500}
              className="mt-2"
            />
          </Notice>
        )}
        {conflicts ? (
          <VersionConflicts change={change} conflicts={conflicts} onSolved={onClose} />
        ) : failure && isImpactRefusal(failure) ? (
          <ImpactRefused failure={failure} onPreviewAgain={previewAgain} />
        ) : failure?.extra?.reason === 'preview_outdated' ? (
          <Notice
            tone="danger"
            live
            title={t('The preview is outdated')}
            action={
              <Button size="sm" onClick={previewAgain}>
                {t('Refresh preview')}
              </Button>
            }
          >
            {failure.detail}
          </Notice>
        ) : (
          failure && (
            <Notice tone="danger" live title={failure.title} action={<OpenBlockingChange failure={failure} />}>
              {failure.detail}
              {isTests && (
                <TextInput
                  aria-label={t('Reason to apply nevertheless')}
                  placeholder={t('Reason to apply nevertheless')}
                  value={reason}
                  onChange={(event) => setReason(event.target.value)}
                  maxLength={500}
                  className="mt-2"
                />
              )}
            </Notice>
          )
        )}
        {isRead && <ApplyImpact of={impact} />}
        {difference.isPending ? (
          <p className="text-muted">{t('Reading live rules from the workloads…')}</p>
        ) : difference.isError ? (
          <Notice tone="danger" title={t('The preview failed, so the changes are unknown')}>
            {toFailure(difference.error).detail}
          </Notice>
        ) : (
          <Difference difference={difference.data} />
        )}
        <SwitchConsent
          switches={switches}
          isTicked={isTicked}
          onTick={(isGiven) => setTicked(isGiven && difference.data ? difference.data : null)}
        />
        <Properties
          items={[
            { label: t('Edits'), value: t('{n, number}', { n: change.items_total }) },
            { label: t('Canaries'), value: formatCanaries(t, change.waves) },
            ...(change.waves.canaries ? [{ label: t('Pause'), value: formatPause(t, change.waves) }] : []),
            { label: t('Confirmation'), value: formatTimer(t, change) },
            { label: t('Logging of new rules'), value: formatLog(t, change) },
          ]}
        />
      </div>
    </Dialog>
  );
}
