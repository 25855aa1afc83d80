'use client';
import { useQuery } from '@tanstack/react-query';
import { MAX_PREVIEWED } from '@/domain/choices';
import type { MappingPreviewInput, MappingPreview as Preview } from '@/domain/mapping-rule';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { WorkloadLink } from '../../shared/entity-links';
import { QueryView } from '../../shared/query-view';
import { leftOutText } from './mapping-labels';

const placeText = (t: Translate, place: Preview['moves'][number]['from']) =>
  place ? `${place.project_name} (${place.tenant_name})` : t('no project');

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
  const t = useT();
  const { matched, moves, moves_total } = preview;
  const leftOut = deleting ? null : leftOutText(t, preview);
  return (
    <div className="flex flex-col gap-2" aria-live="polite">
      <p>
        {deleting ? '' : `${t('Matches {n, plural, one {# workload} other {# workloads}}.', { n: matched })} `}
        {t('{n, plural, =0 {No workloads will move.} one {# workload will move.} other {# workloads will move.}}', {
          n: moves_total,
        })}
      </p>
      {leftOut && <p className="text-muted">{leftOut}</p>}
      {moves.length > 0 && (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          aria-label={t('Workloads to move')}
          className="max-h-64 overflow-y-auto rounded-lg border"
        >
          <ul className="divide-y">
            {moves.map((move) => (
              <li key={move.workload_id} className="px-2 py-1 [overflow-wrap:anywhere]">
                <WorkloadLink id={move.workload_id} name={move.workload_name} />{' '}
                <span className="text-faint">{move.cluster_name}</span>
                <div className="text-sm text-muted">
                  {t('from {before} to {after}', { before: placeText(t, move.from), after: placeText(t, move.to) })}
                </div>
                {move.rules_left && (
                  <div className="text-sm text-warn">
                    {move.rules_left.mode === 'remove'
                      ? t('Rules of {n, plural, one {# policy} other {# policies}} are removed from the workload.', {
                          n: move.rules_left.policies,
                        })
                      : t('Rules of {n, plural, one {# policy} other {# policies}} stay on the workload.', {
                          n: move.rules_left.policies,
                        })}
                  </div>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {moves_total > MAX_PREVIEWED && (
        <p className="text-sm text-faint">{t('The first {n} are shown.', { n: MAX_PREVIEWED })}</p>
      )}
    </div>
  );
}
