import type { SyncRun } from '@/domain/sync';
import { useT } from '@/lib/i18n/use-t';

/** What went wrong in a run: where, with what, and what to do. The run keeps the first ones; `total` counts them all. */
export function RunProblems({ errors, total = errors.length }: { errors: SyncRun['errors']; total?: number }) {
  const t = useT();
  if (errors.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <ul className="divide-y rounded-md border" aria-label={t('Problems')}>
        {errors.map((error) => (
          <li key={`${error.stage} ${error.object} ${error.code} ${error.message}`} className="px-3 py-2">
            <p className="[overflow-wrap:anywhere]">
              {error.object && <span className="mono">{error.object}: </span>}
              {error.message}
            </p>
            {error.remedy && <p className="font-medium text-pretty">{error.remedy}</p>}
          </li>
        ))}
      </ul>
      {total > errors.length && (
        <p className="text-sm text-muted">
          {t('These are the first {n, number} of {total, number}.', { n: errors.length, total })}
        </p>
      )}
    </div>
  );
}
