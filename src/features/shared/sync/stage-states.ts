import { IPAM_STAGES, type RunStage, SYNC_STAGES, type SyncRun } from '@/domain/sync';
import type { StageState } from '@/ui/stages';

export type StageView = {
  stage: RunStage;
  state: StageState;
  counters: SyncRun['counters'][string] | null;
};

export const STAGE_TITLES: Record<RunStage, string> = {
  connect: 'Connect',
  nodes: 'Nodes',
  guests: 'Virtual machines and containers',
  interfaces: 'Network cards',
  networks: 'Bridges',
  sdn: 'SDN networks',
  leases: 'Leases of SDN networks',
  addresses: 'Addresses',
  conflicts: 'Conflicts',
  finish: 'Tidy up',
};

/** The stages of each kind of run, in their order. */
const STAGES: Record<SyncRun['kind'], readonly RunStage[]> = { inventory: SYNC_STAGES, ipam: IPAM_STAGES };

const placeOf = ({ kind, stage }: Pick<SyncRun, 'kind' | 'stage'>) =>
  (STAGES[kind] as readonly (string | null)[]).indexOf(stage);

type Run = Pick<SyncRun, 'kind' | 'status' | 'stage' | 'counters'>;

/** How far each stage of a run is. A failed run stopped in its stage; what comes after was not tried. */
export function stageStates(run: Run): StageView[] {
  const current = placeOf(run);
  return STAGES[run.kind].map((stage, index) => {
    const counters = run.counters[stage] ?? null;
    return { stage, state: stateOf(run, index, current, counters), counters };
  });
}

function stateOf(run: Run, index: number, current: number, counters: StageView['counters']): StageState {
  const finished = (counters?.errors ?? 0) > 0 ? 'warned' : 'done';
  if (run.status === 'queued') return 'waiting';
  if (run.status === 'ok') return finished;
  if (index < current) return finished;
  if (index === current) return run.status === 'failed' ? 'failed' : 'running';
  // Without a known stage nothing was reached.
  return run.status === 'failed' ? 'skipped' : 'waiting';
}

/** The share of a run that is done, 0 to 1: whole stages, and within the current one what it counts. */
export function runProgress(run: Run & Pick<SyncRun, 'progress_done' | 'progress_total'>): number {
  if (run.status === 'ok') return 1;
  if (run.status === 'queued') return 0;
  const current = placeOf(run);
  if (current < 0) return 0;
  const within = run.progress_total ? Math.min(1, run.progress_done / run.progress_total) : 0;
  return (current + within) / STAGES[run.kind].length;
}

/** `3 created, 1 changed`: what a stage did, or `unchanged`; null when it counted nothing. */
export function counterText(counters: StageView['counters']): string | null {
  if (!counters) return null;
  const words = [
    ['created', counters.created],
    ['changed', counters.changed],
    ['removed', counters.removed],
    ['skipped', counters.skipped],
    [counters.errors === 1 ? 'problem' : 'problems', counters.errors],
  ] as const;
  const parts = words.filter(([, count]) => count > 0).map(([word, count]) => `${count.toLocaleString('en')} ${word}`);
  if (parts.length > 0) return parts.join(', ');
  return counters.seen > 0 ? 'unchanged' : null;
}
