import type { SyncRun } from '@/domain/sync';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Stages } from '@/ui/stages';
import { counterText, STAGE_TITLES, type StageView, stageStates } from './stage-states';

/** The stages of a run with what each has seen and done. */
export function RunStages({ run }: { run: SyncRun }) {
  const t = useT();
  const stages = stageStates(run).map((view) => ({
    id: view.stage,
    label: t(STAGE_TITLES[view.stage]),
    state: view.state,
    detail: detailOf(t, view),
    ...(view.state === 'running' && { done: run.progress_done, total: run.progress_total }),
  }));
  return <Stages stages={stages} label={t(run.kind === 'ipam' ? 'Stages of the discovery' : 'Stages of the sync')} />;
}

function detailOf(t: Translate, view: StageView): string | null {
  const text = counterText(t, view.counters);
  const seen = view.counters?.seen ?? 0;
  return text && seen > 0 ? t('{n, number} seen: {text}', { n: seen, text }) : text;
}
