'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentEnrollment } from '@/domain/agent';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Status, type Tone } from '@/ui/status';
import { showToast } from '@/ui/toast';
import { RelativeTime } from '@/ui/values';

const STATES: Record<AgentEnrollment['state'], { tone: Tone; word: string }> = {
  active: { tone: 'ok', word: msg('Active') },
  used: { tone: 'neutral', word: msg('Used up') },
  expired: { tone: 'off', word: msg('Expired') },
  revoked: { tone: 'off', word: msg('Revoked') },
};

/** Tokens for many nodes, newest first, and the way to revoke one. */
export function EnrollmentList() {
  const t = useT();
  const trpc = useTRPC();
  const tokens = useQuery(trpc.agents.enrollments.queryOptions({ limit: 100 }));
  return (
    <section aria-label={t('Enrollment tokens')} className="flex flex-col gap-2">
      <h3 className="text-base">{t('Enrollment tokens')}</h3>
      {tokens.error ? (
        <ErrorState problem={toFailure(tokens.error)} onRetry={() => void tokens.refetch()} />
      ) : !tokens.data ? (
        <Skeleton className="h-10 w-full" />
      ) : tokens.data.items.length === 0 ? (
        <p className="text-muted">{t('No enrollment tokens. Tokens are listed for one week after they expire.')}</p>
      ) : (
        <ul className="max-h-64 divide-y overflow-y-auto rounded-lg border bg-surface">
          {tokens.data.items.map((token) => (
            <Token key={token.id} token={token} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Token({ token }: { token: AgentEnrollment }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const revoke = useMutation(
    trpc.agents.revokeEnrollment.mutationOptions({
      onSuccess: () => showToast('ok', { title: t('Enrollment token revoked') }),
      onError: (error) => showToast('danger', toFailure(error)),
      onSettled: () => void queryClient.invalidateQueries(trpc.agents.enrollments.pathFilter()),
    }),
  );
  const { tone, word } = STATES[token.state];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <span className="w-24">
        <Status tone={tone}>{t(word)}</Status>
      </span>
      <span className="min-w-0 flex-1 truncate" title={token.enrolled.map(({ node_name }) => node_name).join(', ')}>
        {token.description || token.cluster_name}
        {token.node_ids && (
          <span className="text-muted">
            {' '}
            {t('{n, plural, one {# selected node} other {# selected nodes}}', { n: token.node_ids.length })}
          </span>
        )}
      </span>
      <span className="text-muted tabular-nums">
        {t('{n, number} of {total, number} used', { n: token.uses, total: token.max_uses })}
      </span>
      <span className="text-muted">
        {t.rich('Created {time} by {name}', {
          time: <RelativeTime at={token.created_at} />,
          name: token.created_by_name ?? t('Unknown'),
        })}
      </span>
      <span className="text-muted">{t.rich('Expires {time}', { time: <RelativeTime at={token.expires_at} /> })}</span>
      {token.state === 'active' && (
        <Button size="sm" pending={revoke.isPending} onClick={() => revoke.mutate({ id: token.id })}>
          {t('Revoke token')}
        </Button>
      )}
    </li>
  );
}
