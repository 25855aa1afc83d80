'use client';
import type { PolicyDefinition } from '@/domain/policy/policy';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { ResolvedEndpoints } from './resolved-endpoints';
import { useResolution } from './use-resolution';

type Props = {
  definition: Pick<PolicyDefinition, 'direction' | 'sources' | 'targets'>;
  /** As it would be sent: left out when there is nothing to choose. */
  tenantId: string | null | undefined;
  projectId: string | null | undefined;
};

/** What the endpoints of the form resolve to now, with everything that resolves to nothing and why. */
export function ResolutionPanel({ definition, tenantId, projectId }: Props) {
  const t = useT();
  const chosen = [...definition.sources, ...definition.targets];
  const query = useResolution(chosen, tenantId, projectId);
  const failure = query.error ? toFailure(query.error) : null;
  return (
    <Section
      title={t('Resolves to')}
      description={t('Based on the current inventory. The policy follows changes to members and tags.')}
    >
      <div className="flex flex-col gap-3" aria-live="polite" aria-busy={query.isFetching}>
        {failure && (
          <Notice tone="danger" title={failure.title}>
            {failure.detail}
          </Notice>
        )}
        {chosen.length === 0 ? (
          <p className="text-muted">{t('Choose sources and targets.')}</p>
        ) : (
          <ResolvedEndpoints
            definition={definition}
            endpoints={query.data?.endpoints ?? []}
            failed={failure !== null}
          />
        )}
      </div>
    </Section>
  );
}
