import type { DeploymentProblem } from '@/domain/deployments';
import { useT } from '@/lib/i18n/use-t';

/** What went wrong, each with what to do about it; nothing when nothing did. */
export function ProblemList({ problems }: { problems: readonly DeploymentProblem[] }) {
  const t = useT();
  if (problems.length === 0) return null;
  return (
    <ul aria-label={t('Problems')} className="flex flex-col gap-1">
      {problems.map((problem) => (
        <li key={`${problem.code} ${problem.message}`} className="[overflow-wrap:anywhere]">
          <span className="text-danger">{problem.message}</span>
          {problem.remedy && <span> {problem.remedy}</span>}
        </li>
      ))}
    </ul>
  );
}
