import type { SyncRun } from '@/domain/sync';
import { formatCount } from '@/lib/format';
import { Stages } from '@/ui/stages';
import { counterText, STAGE_TITLES, type StageView, stageStates } from './stage-states';

/** The stages of a run with what each has seen and done. */
export function RunStages({ run }: { run: SyncRun }) {
  const stages = stageStates(run).map((view) => ({
    id: view.stage,
    label: STAGE_TITLES[view.stage],
    state: view.state,
    detail: detailOf(view),
    ...(view.state === 'running' && { done: run.progress_done, total: run.progress_total }),
  }));
  return <Stages stages={stages} label={run.kind === 'ipam' ? 'Stages of the discovery' : 'Stages of the sync'} />;
}

function detailOf(view: StageView): string | null {
  const text = counterText(view.counters);
  const seen = view.counters?.seen ?? 0;
  return text && seen > 0 ? `${formatCount(seen)} seen: ${text}` : text;
}
