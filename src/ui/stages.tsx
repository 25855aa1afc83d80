'use client';
import clsx from 'clsx';
import { Check, CircleDashed, CircleSlash, LoaderCircle, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Progress } from './progress';

export type StageState = 'waiting' | 'running' | 'done' | 'warned' | 'failed' | 'skipped';

export type Stage = {
  id: string;
  label: string;
  state: StageState;
  /** Figures or the message of the failure with its remedy. */
  detail?: ReactNode;
  /** Steps of the running stage, when they are counted. */
  done?: number | null;
  total?: number | null;
};

const MARKS: Record<StageState, { word: string; icon: ReactNode }> = {
  waiting: { word: msg('Waiting'), icon: <CircleDashed size={16} className="text-faint" aria-hidden /> },
  running: { word: msg('Running'), icon: <LoaderCircle size={16} className="animate-spin text-info" aria-hidden /> },
  done: { word: msg('Done'), icon: <Check size={16} className="text-ok" aria-hidden /> },
  warned: { word: msg('Done with warnings'), icon: <TriangleAlert size={16} className="text-warn" aria-hidden /> },
  failed: { word: msg('Failed'), icon: <X size={16} className="text-danger" aria-hidden /> },
  skipped: { word: msg('Skipped'), icon: <CircleSlash size={16} className="text-faint" aria-hidden /> },
};

/** Long work, stage by stage: what is done, what runs, what failed and why. */
export function Stages({ stages, label }: { stages: readonly Stage[]; label: string }) {
  const t = useT();
  return (
    <ol aria-label={label} className="flex flex-col">
      {stages.map((stage) => (
        <li
          key={stage.id}
          className="flex gap-2.5 py-1.5"
          aria-current={stage.state === 'running' ? 'step' : undefined}
        >
          <span className="mt-0.5 shrink-0">{MARKS[stage.state].icon}</span>
          <div className="min-w-0 flex-1">
            <p
              className={clsx(
                stage.state === 'running' && 'font-medium',
                (stage.state === 'waiting' || stage.state === 'skipped') && 'text-faint',
              )}
            >
              {stage.label}
              <span className="sr-only">: {t(MARKS[stage.state].word)}</span>
            </p>
            {stage.detail && (
              <div className={clsx('text-pretty', stage.state === 'failed' ? 'text-danger' : 'text-muted')}>
                {stage.detail}
              </div>
            )}
            {stage.state === 'running' && (stage.done ?? null) !== null && (
              <div className="mt-1 max-w-sm">
                <Progress label={stage.label} showLabel={false} done={stage.done ?? null} total={stage.total ?? null} />
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
