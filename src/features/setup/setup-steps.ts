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
  /** What the URL says; anybody may have typed it. */
  step: string | null;
  clusterId: string | null;
};

/**
 * The step to show, or where to go instead. Making the administrator closes the setup for ever; the steps after it are
 * ordinary actions of the one who is signed in.
 */
export function setupStep({ completed, signedIn, step, clusterId }: Known): SetupStep | 'sign_in' | 'home' {
  if (!completed) return 'administrator';
  if (!signedIn) return 'sign_in';
  if (step === 'cluster' || step === 'next') return step;
  if (step === 'sync') return clusterId ? 'sync' : 'cluster';
  return 'home';
}
