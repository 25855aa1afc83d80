'use client';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import type { Cluster } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { LiveUpdates } from '@/lib/live-updates';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValues } from '@/lib/url-state';
import { ErrorState } from '@/ui/error-state';
import { Stepper } from '@/ui/stepper';
import { loadTab } from '../shared/load-tab';
import { StartScreen, setupStatusQuery, useStartSession } from '../shared/session-start';
import { AdministratorStep } from './administrator-step';
import { NextStep } from './next-step';
import { SETUP_STEPS, type SetupStep, STEP_LABELS, setupStep } from './setup-steps';
import { SyncStep } from './sync-step';

/** It comes while the first step is filled in. */
const NewClusterForm = loadTab(() =>
  import('../shared/cluster-connection/new-cluster-form').then((module) => module.NewClusterForm),
);

const PARSERS = { step: URL_TEXT, cluster: URL_TEXT };

const HEADINGS: Record<SetupStep, { title: string; text: string }> = {
  administrator: {
    title: msg('Create the administrator'),
    text: msg('The first account has all permissions. More users can be added later.'),
  },
  cluster: {
    title: msg('Add your first cluster'),
    text: msg(
      'Fabric reads a Proxmox VE cluster through its API. Nothing changes on the cluster until you apply a policy.',
    ),
  },
  sync: {
    title: msg('First sync'),
    text: msg('Fabric reads nodes, workloads and networks. This takes seconds to a few minutes.'),
  },
  next: { title: msg('Setup complete'), text: '' },
};

/** The first run: administrator, cluster, first sync, and where to go from there. */
export function Setup() {
  const t = useT();
  const router = useRouter();
  const trpc = useTRPC();
  const { state, retry } = useStartSession();
  const status = useQuery({ ...setupStatusQuery, refetchOnWindowFocus: false });
  const [at, setAt] = useUrlValues(PARSERS);
  // The cached answer is older than the administrator that was just made here.
  const [justCompleted, setJustCompleted] = useState(false);
  const signedIn = state.status === 'signed_in';
  const known = status.data !== undefined && (signedIn || state.status === 'signed_out');
  const mayAdd = signedIn && (state.user.permissions.includes('*') || state.user.permissions.includes('cluster:write'));
  const clusters = useQuery({ ...trpc.clusters.list.queryOptions({ sort: 'created_at', limit: 1 }), enabled: mayAdd });
  const shown = known
    ? setupStep({
        completed: justCompleted || status.data.completed,
        signedIn,
        step: at.step,
        clusterId: at.cluster,
        found: findResumePoint(mayAdd, clusters.data?.items),
      })
    : null;
  const step = shown?.step ?? null;
  const clusterId = shown?.clusterId ?? null;
  useEffect(() => {
    if (step === 'sign_in') router.replace(paths.login());
    if (step === 'home') router.replace(paths.home());
  }, [step, router]);

  if (clusters.error) return <ErrorState problem={toFailure(clusters.error)} onRetry={() => void clusters.refetch()} />;
  if (status.error) return <ErrorState problem={toFailure(status.error)} onRetry={() => void status.refetch()} />;
  if (state.status === 'unreachable') return <ErrorState problem={state.failure} onRetry={retry} />;
  if (step === null || step === 'sign_in' || step === 'home') return <StartScreen inFrame />;
  const go = (next: SetupStep, cluster: string | null = at.cluster) =>
    void setAt({ step: next, cluster }, { history: 'push' });
  const { title, text } = HEADINGS[step];
  return (
    <Stepper label={t('Setup')} steps={SETUP_STEPS.map((id) => ({ id, label: t(STEP_LABELS[id]) }))} current={step}>
      {signedIn && <LiveUpdates />}
      <div>
        <h1 className="text-lg">{t(title)}</h1>
        {text && <p className="text-pretty text-muted">{t(text)}</p>}
      </div>
      {step === 'administrator' && (
        <AdministratorStep
          codeRequired={status.data?.setup_code_required ?? false}
          onDone={() => {
            setJustCompleted(true);
            go('cluster', null);
          }}
        />
      )}
      {step === 'cluster' && (
        <ClusterStep onAdded={(cluster) => go('sync', cluster.id)} onSkip={() => go('next', null)} />
      )}
      {step === 'sync' && clusterId && (
        <SyncStep
          clusterId={clusterId}
          onNext={() => go('next', clusterId)}
          onEdit={() => router.push(paths.cluster({ clusterId }))}
        />
      )}
      {step === 'next' && <NextStep clusterId={at.cluster} />}
    </Stepper>
  );
}

/** Where the setup was left; users who may not add clusters have nothing to resume. */
function findResumePoint(mayAdd: boolean, items: readonly Cluster[] | undefined) {
  if (!mayAdd) return { cluster_id: '', synced: true };
  const [first] = items ?? [];
  if (items === undefined) return undefined;
  return first ? { cluster_id: first.id, synced: first.sync_status !== 'never' } : null;
}

/** Adds the first cluster, or leaves it for later. */
function ClusterStep({ onAdded, onSkip }: { onAdded: (cluster: Cluster) => void; onSkip: () => void }) {
  const t = useT();
  return <NewClusterForm onAdded={onAdded} onCancel={onSkip} cancelLabel={t('Skip for now')} />;
}
