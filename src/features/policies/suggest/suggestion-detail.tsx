'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Suggestion } from '@/domain/suggestion/suggestion';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { EmptyState } from '@/ui/empty-state';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Progress } from '@/ui/progress';
import { Section } from '@/ui/section';
import { DetailPage } from '../../shared/detail-page';
import { usePermissions } from '../../shared/use-permissions';
import { LeftOutList } from './left-out-list';
import { SuggestedGroups } from './suggested-groups';
import { SuggestedPolicies } from './suggested-policies';
import { TightnessControl } from './tightness-control';
import { type Choices, useChoices, useSuggestion } from './use-suggestion';

/** One suggestion: its scores, groups and policies, and what becomes of it. */
export function SuggestionDetail({ suggestionId }: { suggestionId: string }) {
  const t = useT();
  const query = useSuggestion(suggestionId);
  return (
    <DetailPage query={query} title={({ scope_name }) => t('Suggested policies for {name}', { name: scope_name })}>
      {(suggestion) => <Content suggestion={suggestion} />}
    </DetailPage>
  );
}

function Content({ suggestion }: { suggestion: Suggestion }) {
  const t = useT();
  const choices = useChoices(suggestion.id);
  const { scope_name, since, until, status, error, policies } = suggestion;
  const title = t('Suggested policies for {name}', { name: scope_name });
  return (
    <>
      <PageTrail crumbs={[{ label: title }]} />
      <PageHeader
        title={title}
        badge={<Badge>{t('Enforces nothing')}</Badge>}
        description={t('From conversations from {since} to {until}.', {
          since: formatDateTime(since),
          until: formatDateTime(until),
        })}
        actions={status === 'done' && policies.length > 0 && <CreateChange suggestion={suggestion} />}
      />
      {status === 'running' && (
        <Section bare>
          <Progress label={t('Computing groups and rules')} done={Math.round(suggestion.progress * 100)} total={100} />
        </Section>
      )}
      {status === 'failed' && (
        <Notice tone="danger" live title={t('The suggestion failed')}>
          {error}
        </Notice>
      )}
      {status === 'done' && <Draft suggestion={suggestion} choices={choices} />}
    </>
  );
}

function Draft({ suggestion, choices }: { suggestion: Suggestion; choices: Choices }) {
  const t = useT();
  const { evidence_score, change_id, impact_id, silent_workloads, policies } = suggestion;
  const failure = choices.error ? toFailure(choices.error) : null;
  return (
    <>
      {failure && (
        <Notice tone="danger" live title={failure.title}>
          {failure.errors?.[0]?.message ?? failure.detail}
        </Notice>
      )}
      {change_id && (
        <Notice
          tone="ok"
          title={t('A change was created from this draft')}
          action={
            <>
              <Link href={paths.change({ changeId: change_id })}>{t('Open change')}</Link>
              {impact_id && <Link href={paths.impact({ impactId: impact_id })}>{t('Impact if enforced')}</Link>}
            </>
          }
        />
      )}
      {(evidence_score ?? 0) < 1 && (
        <Notice tone="warn" title={t('Part of the traffic was not observed')}>
          {t('What was not observed has no rule, and would be dropped. Check the agents of these workloads.')}
        </Notice>
      )}
      {policies.length === 0 ? (
        <EmptyState title={t('No conversations to write rules for')}>
          {t('Choose another scope or a longer time range.')}
        </EmptyState>
      ) : (
        <>
          <TightnessControl suggestion={suggestion} choices={choices} />
          <SuggestedGroups suggestion={suggestion} choices={choices} />
          <SuggestedPolicies suggestion={suggestion} choices={choices} />
        </>
      )}
      <LeftOutList suggestion={suggestion} />
      {silent_workloads.length > 0 && (
        <Section
          title={t('Without conversations')}
          description={t('No policy concerns these workloads: what they need is not known.')}
        >
          <p>{silent_workloads.map(({ name }) => name).join(', ')}</p>
        </Section>
      )}
    </>
  );
}

function CreateChange({ suggestion: { id, version } }: { suggestion: Suggestion }) {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { can, reason } = usePermissions();
  const [withTests, setWithTests] = useState(true);
  const create = useMutation(
    trpc.suggestions.createChange.mutationOptions({
      onSuccess: (change) => {
        void queryClient.invalidateQueries(trpc.suggestions.pathFilter());
        router.push(paths.change({ changeId: change.id }));
      },
    }),
  );
  const failure = create.error ? toFailure(create.error) : null;
  const testable = can('policy_test:write');
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap items-center gap-3">
        {testable && (
          <label htmlFor="with-tests" className="flex items-center gap-2">
            <Checkbox id="with-tests" checked={withTests} onCheckedChange={setWithTests} />
            {t('Create policy tests, too')}
          </label>
        )}
        <Button
          variant="primary"
          pending={create.isPending}
          disabledReason={reason('group:write')}
          onClick={() => create.mutate({ id, version, with_tests: testable && withTests })}
        >
          {t('Create change')}
        </Button>
      </div>
      {failure && (
        <Notice tone="danger" live title={failure.title}>
          {failure.errors?.[0]?.message ?? failure.detail}
        </Notice>
      )}
    </div>
  );
}
