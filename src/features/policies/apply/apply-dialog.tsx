'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { DEFAULT_CONFIRM_SECONDS, DEFAULT_TEMPORARY_LOG } from '@/domain/choices';
import type { ApplyResult } from '@/domain/deployments';
import type { Policy } from '@/domain/policies';
import type { PolicyPreview } from '@/domain/policy-preview';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { type Failure, toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { ChangeRefusal, OpenBlockingChange } from '../../shared/changes/change-refusal';
import { findProposedChange } from '../../shared/changes/proposed-change';
import { TemporaryLogNote } from '../../shared/deployments/guest-changes';
import { SwitchConsent } from '../../shared/deployments/switch-consent';
import { listSwitches } from '../../shared/deployments/switches';
import { ApplyImpact, ImpactRefused, isImpactRefusal } from '../../shared/impact/apply-impact';
import { OwnConnectionsNotice } from '../../shared/own-connections/own-connections-notice';
import { countFailingTests } from '../../shared/policy-tests/test-views';
import { usePermissions } from '../../shared/use-permissions';
import { PreviewView } from '../detail/preview-view';
import { countLiveRules, placesText } from '../policy-labels';
import { ConfirmWithin } from './confirm-within';
import { LEAST_REASON, OverrideTests } from './override-tests';
import { usePolicyImpact } from './use-policy-impact';

type Props = {
  policy: Pick<Policy, 'id' | 'name' | 'version' | 'deployments' | 'tenant_id' | 'project_id'>;
  onClose: () => void;
};

/**
 * Dry run and preview first; then one button that applies exactly what they show, as a change. Its page shows the work as it goes,
 * and confirms it or takes it back.
 */
export function ApplyDialog({ policy, onClose }: Props) {
  const t = useT();
  const client = useTRPCClient();
  const { reason: lacks } = usePermissions();
  const mayOverride = lacks('policy_test:override', policy) === null;
  const [reason, setReason] = useState('');
  const [seconds, setSeconds] = useState<number>(DEFAULT_CONFIRM_SECONDS);
  const [isLogged, setIsLogged] = useState(false);
  // Without a timer there is no time in which to log.
  const log_new_rules = isLogged && seconds > 0 ? DEFAULT_TEMPORARY_LOG : null;
  // Each preview is read for itself.
  const [round, setRound] = useState(0);
  // Consent to the switches of one preview is none to those of another.
  const [ticked, setTicked] = useState<PolicyPreview | null>(null);
  const apply = useApply(policy.id);
  const isApplied = apply.isSuccess;
  const dryRun = useQuery({
    queryKey: ['policy-dry-run', policy.id, policy.version, round],
    queryFn: ({ signal }) => client.deployments.applyPolicy.mutate({ id: policy.id, dry_run: true }, { signal }),
    enabled: !isApplied,
    gcTime: 0,
    retry: false,
  });
  // Read for this dialog: what is confirmed here is what is written.
  const preview = useQuery({
    queryKey: ['policy-apply-preview', policy.id, policy.version, round, log_new_rules],
    queryFn: ({ signal }) => client.policies.preview.mutate({ id: policy.id, log_new_rules }, { signal }),
    enabled: !isApplied,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  const failure = apply.error ? toFailure(apply.error) : null;
  const shown = preview.data;
  const places = shown && shown.totals.guests > 0 ? placesText(t, shown.totals.guests, shown.clusters.length) : null;
  const readOnly = readOnlyClusters(shown);
  const failing = countFailingTests(shown);
  const switches = shown ? listPreviewSwitches(t, shown) : [];
  const isReading = dryRun.isFetching || preview.isFetching;
  const impact = usePolicyImpact(policy, round, !isReading && shown !== undefined && !isApplied);
  const previewAgain = () => {
    apply.reset();
    setRound(round + 1);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      persistent={apply.isPending}
      title={t('Apply {name}', { name: policy.name })}
      description={t('Version {version}', { version: policy.version })}
      footer={
        <>
          <ConfirmWithin
            seconds={seconds}
            isLogged={isLogged}
            onChange={(chosen, isLoggedNow) => {
              setSeconds(chosen);
              setIsLogged(isLoggedNow);
              // The preview may be another one now.
              setTicked(null);
            }}
          />
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            // Until the page of the change is there.
            pending={apply.isPending || isApplied}
            disabledReason={
              isReading
                ? t('The preview is loading')
                : !shown || !dryRun.data
                  ? t('The preview failed, so the changes are unknown')
                  : places === null && countLiveRules(policy.deployments) === 0
                    ? t('Nothing to apply: the policy resolves to no workload, and none of its rules are live')
                    : readOnly.length > 0 && readOnly.length === shown.clusters.length
                      ? t('Cannot apply: the API token is read-only')
                      : shown.totals.guests > 0 && shown.totals.unreadable === shown.totals.guests
                        ? t('Cannot apply: no workload could be read')
                        : failing > 0 && !mayOverride
                          ? t('Cannot apply: policy tests would fail')
                          : failing > 0 && reason.trim().length < LEAST_REASON
                            ? t('Enter a reason to override the policy tests')
                            : impact.sent === null
                              ? impact.impact?.status === 'done' && !impact.impact.outdated
                                ? t('Acknowledge the conversations that would be blocked')
                                : t('Wait for the impact, or choose to apply without it')
                              : switches.length > 0 && ticked !== shown
                                ? t('Tick the box for the switches that change')
                                : null
            }
            onClick={() =>
              apply.mutate({
                policy_id: policy.id,
                base_version: policy.version,
                confirm_within_seconds: seconds,
                log_new_rules,
                fingerprints: shown ? collectFingerprints(shown) : {},
                ...(failing > 0 && { override_tests: { reason } }),
                ...impact.sent,
              })
            }
          >
            {places ? t('Apply to {places}', { places }) : t('Apply')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {failure && <ApplyFailure failure={failure} onPreviewAgain={previewAgain} />}
        {isReading ? (
          <div aria-busy="true" className="flex flex-col gap-2">
            <p className="text-muted">{t('Reading live rules from the workloads…')}</p>
            <Skeleton className="h-24 w-full" />
          </div>
        ) : dryRun.error || preview.error ? (
          <ErrorState
            problem={toFailure(dryRun.error ?? preview.error)}
            onRetry={() => void Promise.all([dryRun.refetch(), preview.refetch()])}
          />
        ) : (
          <>
            <OwnConnectionsNotice connections={shown?.own_connections ?? []} />
            <ApplyImpact of={impact} />
            {dryRun.data && <DryRun result={dryRun.data} />}
            {readOnly.map(({ cluster_id, cluster_name, missing_write_privileges: missing }) => (
              <Notice key={cluster_id} tone="warn" title={t('{cluster} is read-only', { cluster: cluster_name })}>
                {t('The API token of the cluster lacks {privileges}. Grant them to the token, then sync the cluster.', {
                  privileges: (missing ?? []).join(', '),
                })}
              </Notice>
            ))}
            {shown && (
              <>
                {failing > 0 && (
                  <OverrideTests preview={shown} reason={mayOverride ? reason : null} onReasonChange={setReason} />
                )}
                <SwitchConsent
                  switches={switches}
                  isTicked={ticked === shown}
                  onTick={(isTicked) => setTicked(isTicked ? shown : null)}
                />
                {log_new_rules !== null && <TemporaryLogNote level={log_new_rules} />}
                <PreviewView preview={shown} showTests={false} />
                <p className="text-muted">
                  {t('Only the changes listed here are written. A workload that changes before its write is skipped.')}
                </p>
              </>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

function listPreviewSwitches(t: Translate, { clusters, warnings }: PolicyPreview) {
  const macFiltered = warnings.filter(({ code }) => code === 'mac_filter');
  return listSwitches(
    t,
    clusters.flatMap(({ guests }) => guests),
    {
      guests: macFiltered.flatMap(({ guests }) => guests),
      total: macFiltered.reduce((sum, { guests_total }) => sum + guests_total, 0),
    },
  );
}

/** Applies the policy as a change, and leads to its page. */
function useApply(policyId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  return useMutation(
    trpc.changeRollout.applyPolicy.mutationOptions({
      onSuccess: (change) => {
        queryClient.setQueryData(trpc.changes.get.queryKey({ id: change.id }), change);
        for (const area of [trpc.changes.list, trpc.policies, trpc.deployments]) {
          void queryClient.invalidateQueries(area.pathFilter());
        }
        router.push(paths.change({ changeId: change.id }));
      },
      // Another version of the policy has another impact.
      onError: () => void queryClient.invalidateQueries(trpc.policies.get.queryFilter({ id: policyId })),
    }),
  );
}

/** Why nothing was applied, with the way on. */
function ApplyFailure({ failure, onPreviewAgain }: { failure: Failure; onPreviewAgain: () => void }) {
  const t = useT();
  if (findProposedChange(failure)) return <ChangeRefusal failure={failure} />;
  if (isImpactRefusal(failure)) return <ImpactRefused failure={failure} onPreviewAgain={onPreviewAgain} />;
  const isOutdated = failure.extra?.reason === 'preview_outdated';
  return (
    <Notice
      tone="danger"
      live
      title={isOutdated ? t('The preview is outdated') : failure.title}
      action={
        isOutdated ? (
          <Button size="sm" onClick={onPreviewAgain}>
            {t('Refresh preview')}
          </Button>
        ) : (
          <OpenBlockingChange failure={failure} />
        )
      }
    >
      {failure.detail}
    </Notice>
  );
}

/** What the worker compares each guest with before it writes; a guest that could not be read has none and is skipped. */
const collectFingerprints = ({ clusters }: PolicyPreview): Record<string, string> =>
  Object.fromEntries(
    clusters.flatMap(({ guests }) =>
      guests.flatMap(({ workload_id, fingerprint }) => (fingerprint === null ? [] : [[workload_id, fingerprint]])),
    ),
  );

/** Whether every rule finds a guest; the preview below shows which. */
function DryRun({ result }: { result: ApplyResult }) {
  const t = useT();
  const busy = result.clusters.filter((cluster) => cluster.guests.length > 0);
  const guests = busy.flatMap((cluster) => cluster.guests);
  const rules = guests.reduce((sum, guest) => sum + (guest.rules ?? 0), 0);
  return (
    <Notice
      tone={result.success ? 'ok' : 'warn'}
      live
      title={result.success ? t('Dry run passed') : t('Dry run found problems')}
    >
      <p>
        {guests.length === 0
          ? t('The policy resolves to no workload now. Its live rules will be removed.')
          : t('{n, plural, one {# rule} other {# rules}} on {places}.', {
              n: rules,
              places: placesText(t, guests.length, busy.length),
            })}
      </p>
      {result.message && <p>{result.message}</p>}
    </Notice>
  );
}

/** Clusters of a preview to which nothing can be written. */
const readOnlyClusters = (preview: PolicyPreview | undefined): PolicyPreview['clusters'] =>
  preview?.clusters.filter(({ missing_write_privileges: missing }) => missing !== null && missing.length > 0) ?? [];
