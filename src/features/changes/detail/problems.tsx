'use client';
import type { Change } from '@/domain/change/change';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';

type Tone = 'warn' | 'danger';

/** What each kind of problem is called. What an incomplete rollback left is for people to decide; the others are urgent. */
const TITLES: Readonly<Record<string, { title: string; tone: Tone }>> = {
  workloads_failed: { title: msg('Some workloads could not be written'), tone: 'danger' },
  rollback_waiting: { title: msg('The rollback has not reached every workload'), tone: 'danger' },
  rollback_incomplete: { title: msg('The rollback left something as it is'), tone: 'warn' },
  log_removal_waiting: { title: msg('New rules are still logged on some workloads'), tone: 'danger' },
  not_started: { title: msg('The change was not started at its time'), tone: 'danger' },
};

/** What could not be done, by kind, each with what to do about it. */
export function ChangeProblems({ problems }: Pick<Change, 'problems'>) {
  const t = useT();
  const codes = [...new Set(problems.map(({ code }) => code))];
  return codes.map((code) => {
    const own = problems.filter((problem) => problem.code === code);
    const known = TITLES[code];
    return (
      <Notice key={code} tone={known?.tone ?? 'danger'} live title={known && t(known.title)}>
        <ul className="flex flex-col gap-1">
          {own.map(({ message, remedy }) => (
            <li key={message} className="[overflow-wrap:anywhere]">
              {t(message)} {remedy && t(remedy)}
            </li>
          ))}
        </ul>
      </Notice>
    );
  });
}
