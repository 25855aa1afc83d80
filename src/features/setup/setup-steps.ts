import { msg } from '@/lib/i18n/translator';

export const SETUP_STEPS = ['administrator', 'cluster', 'sync', 'next'] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

export const STEP_LABELS: Record<SetupStep, string> = {
  administrator: msg('Administrator'),
  cluster: msg('Cluster'),
  sync: msg('First sync'),
  next: msg('Next steps'),
};

type Known = {
  completed: boolean;
  signedIn: boolean;
  /** What the URL says; anyone may have typed it. */
  step: string | null;
  clusterId: string | null;
  /** Where the steps were left: the first cluster, if there is one, and whether it was ever read. Undefined while that is not known. */
  found: { cluster_id: string; synced: boolean } | null | undefined;
};

/** A step with its cluster, or where to go instead. */
type Step = { step: SetupStep | 'sign_in' | 'home'; clusterId: string | null };

/**
 * The step to show, or where to go instead; null while it is not known. Making the administrator closes the setup for ever; the steps
 * after it are ordinary actions of a signed-in administrator. Without a step in the URL they resume where they were left: until the first
 * cluster was added and read.
 */
export function setupStep({ completed, signedIn, step, clusterId, found }: Known): Step | null {
  const at = (name: Step['step'], cluster = clusterId): Step => ({ step: name, clusterId: cluster });
  if (!completed) return at('administrator');
  if (!signedIn) return at('sign_in');
  if (step === 'cluster' || step === 'next') return at(step);
  if (step === 'sync' && clusterId) return at('sync');
  if (found === undefined) return null;
  if (found === null) return at('cluster');
  return found.synced ? at('home') : at('sync', found.cluster_id);
}
