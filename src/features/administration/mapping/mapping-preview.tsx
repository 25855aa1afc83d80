'use client';
import { useQuery } from '@tanstack/react-query';
import { MAX_PREVIEWED, type MappingPreviewInput, type MappingPreview as Preview } from '@/domain/mapping-rule';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/skeleton';
import { WorkloadLink } from '../../shared/inventory-links';
import { QueryView } from '../../shared/query-view';
import { leftOutText, workloadsText } from './rule-words';

const placeText = (place: Preview['moves'][number]['from']) =>
  place ? `${place.project_name} (${place.tenant_name})` : 'no project';

/** What storing or deleting a rule would move. */
export function MappingPreview({ input }: { input: MappingPreviewInput }) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.mappingRules.preview.queryOptions(input), staleTime: 0 });
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-16" />}>
      {(preview) => <Moves preview={preview} deleting={input.rule === undefined} />}
    </QueryView>
  );
}

function Moves({ preview, deleting }: { preview: Preview; deleting: boolean }) {
  const { matched, moves, moves_total } = preview;
  const leftOut = deleting ? null : leftOutText(preview);
  return (
    <div className="flex flex-col gap-2" aria-live="polite">
      <p>
        {deleting ? '' : `Matches ${workloadsText(matched)}. `}
        {moves_total === 0 ? 'Nothing moves.' : `${workloadsText(moves_total)} will move.`}
      </p>
      {leftOut && <p className="text-muted">{leftOut}</p>}
      {moves.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section tabIndex={0} aria-label="Workloads that move" className="max-h-64 overflow-y-auto rounded-lg border">
          <ul className="divide-y">
            {moves.map((move) => (
              <li key={move.workload_id} className="px-2 py-1 [overflow-wrap:anywhere]">
                <WorkloadLink id={move.workload_id} name={move.workload_name} />{' '}
                <span className="text-faint">{move.cluster_name}</span>
                <div className="text-sm text-muted">
                  from {placeText(move.from)} to {placeText(move.to)}
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {moves_total > MAX_PREVIEWED && <p className="text-sm text-faint">The first {MAX_PREVIEWED} are shown.</p>}
    </div>
  );
}
